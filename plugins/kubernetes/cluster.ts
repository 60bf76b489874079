import type { Operation } from "../protocol/operation.ts";
import { containsUnknown, type PropertyMap } from "../protocol/property-value.ts";
import type { ConnectedCluster } from "./connected-cluster.ts";
import { contextNamespace } from "./kubeconfig-file.ts";
import type { KubernetesObject } from "./object.ts";
import type { Settings } from "./settings.ts";

/** Answers to a dry run that say nothing against the real one: what is missing may be made before it. */
const NOT_FOUND = 404;
const FORBIDDEN = 403;
const ALREADY_EXISTS = "AlreadyExists";

/** The cluster the settings mean; nothing is loaded or asked before it is needed. */
export class Cluster {
  readonly settings: Settings;
  #namespace: Promise<string> | undefined;
  #connected: Promise<ConnectedCluster> | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Namespace of objects that name none. */
  namespace(): Promise<string> {
    this.#namespace ??=
      this.settings.namespace === undefined
        ? contextNamespace(this.settings)
        : Promise.resolve(this.settings.namespace);
    return this.#namespace;
  }

  /** @throws when the settings lead to no cluster */
  connect(): Promise<ConnectedCluster> {
    this.#connected ??= import("./connected-cluster.ts").then(
      ({ ConnectedCluster: Connected }) => new Connected(this.settings),
    );
    return this.#connected;
  }

  /** {@link connect}, or undefined where a cluster that cannot be reached counts as gone. */
  connectUnlessGone(operation: Operation): Promise<ConnectedCluster | undefined> {
    return this.unlessGone(operation, () => this.connect());
  }

  /** Asks the cluster; undefined where it cannot be reached and `deleteUnreachable` says that it is gone. */
  async unlessGone<Result>(
    operation: Operation,
    ask: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const { ClusterUnreachable } = await import("./api-client.ts");
    try {
      return await ask();
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

  /** Tries something in a preview: the outcome, or undefined where that is not possible yet. @throws when refused */
  async preview(
    inputs: PropertyMap,
    redact: (text: string) => string,
    attempt: (connected: ConnectedCluster) => Promise<KubernetesObject>,
  ): Promise<KubernetesObject | undefined> {
    if (containsUnknown(inputs)) return undefined;
    const { ApiError } = await import("./api-client.ts");
    try {
      return await attempt(await this.connect());
    } catch (error) {
      if (!(error instanceof ApiError)) return undefined;
      const early =
        error.status === NOT_FOUND || error.status === FORBIDDEN || error.reason === ALREADY_EXISTS;
      if (early) return undefined;
      throw new Error(redact(error.message));
    }
  }
}
