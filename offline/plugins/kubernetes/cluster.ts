import { ApiError, type ApiRequest, ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import type { Operation } from "../protocol/operation.ts";
import { containsUnknown, type PropertyMap } from "../protocol/property-value.ts";
import { redactor } from "../protocol/redaction.ts";
import { ClusterObject } from "./cluster-object.ts";
import type { Kind } from "./kinds.ts";
import type { KubernetesObject } from "./object.ts";
import type { Settings } from "./settings.ts";
import pRetry from "p-retry";
import { messageOf } from "../../../host/failure.ts";
import { clientConnection } from "../../../host/kubernetes/client-connection.ts";

/** The cluster of the provider's settings; connects only when needed. */
export class Cluster {
  readonly #client: ApiClient;

  constructor(readonly settings: Settings) {
    this.#client = new ApiClient(() => clientConnection(settings.kubeconfig), ANSWER_SECONDS);
  }

  object(kind: Kind, namespace: string, name: string): ClusterObject {
    return new ClusterObject(this.#client, kind, namespace, name);
  }

  /** Result of a request; undefined if the cluster is unreachable and `deleteUnreachable` says to treat it as gone. */
  async unlessGone<Result>(
    operation: Operation,
    request: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ClusterUnreachable)) throw error;
      if (!this.settings.deleteUnreachable) {
        throw new Error(
          `${error.message}. If the cluster was deleted, set PULUMI_K8S_DELETE_UNREACHABLE=true (or the provider's deleteUnreachable) to remove its objects from the state`,
        );
      }
      operation.log("warning", `${error.message}; removed from the state (deleteUnreachable)`);
      return undefined;
    }
  }

  /** Result of a dry run in a preview; undefined if it is not possible yet. @throws if the API server refuses it */
  async preview(
    inputs: PropertyMap,
    attempt: () => Promise<KubernetesObject>,
  ): Promise<KubernetesObject | undefined> {
    if (containsUnknown(inputs)) return undefined;
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ApiError)) return undefined;
      const { status, reason } = error;
      // Not errors of the real request, before which whatever is missing may be created.
      if (status === 404 || status === 403 || reason === "AlreadyExists") return undefined;
      throw new Error(redactor(inputs)(error.message));
    }
  }
}

/** The API server did not answer, or the settings do not name one. */
class ClusterUnreachable extends Error {}

const ANSWER_SECONDS = 30;

/** Retries one second apart, because a server that refuses connections may be restarting. */
const CONNECT_AGAIN = { retries: 4, minTimeout: 1000, factor: 1 };

const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

class ApiClient extends ClusterApi {
  /** @throws {ApiError | ClusterUnreachable} */
  override async request<T>(method: string, path: string, request: ApiRequest = {}): Promise<T> {
    try {
      return await pRetry(() => super.request<T>(method, path, request), {
        ...CONNECT_AGAIN,
        ...(request.signal && { signal: request.signal }),
        shouldRetry: ({ error }) => "code" in error && NOT_CONNECTED.has(error.code),
      });
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new ClusterUnreachable(`the API server cannot be reached: ${messageOf(error)}`);
    }
  }
}
