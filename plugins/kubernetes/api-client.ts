import pRetry from "p-retry";
import { messageOf } from "../../host/failure.ts";
import { clientConnection } from "../../kubernetes/client-connection.ts";
import { ApiError, type ApiRequest, ClusterApi } from "../../kubernetes/cluster-api.ts";
import { readKubeconfig } from "./kubeconfig-file.ts";
import type { Settings } from "./settings.ts";

/** The API server did not answer, or the settings lead to none. */
export class ClusterUnreachable extends Error {}

/** How long the API server may take to answer one request. */
const ANSWER_SECONDS = 30;

/** A server that refuses connections may be restarting: tried again this often, one second apart. */
const CONNECT_AGAIN = { retries: 4, minTimeout: 1000, factor: 1 };

const NOT_CONNECTED: readonly unknown[] = [
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
];

/** The API server that the settings mean; nothing is loaded or asked before it is needed. */
export class ApiClient extends ClusterApi {
  constructor(settings: Settings) {
    super(async () => {
      const text = readKubeconfig(settings);
      if (text !== undefined) return clientConnection(text, settings);
      throw new Error(
        "there is no kubeconfig: set the provider's kubeconfig (content or path) or KUBECONFIG",
      );
    }, ANSWER_SECONDS);
  }

  /** @throws {ApiError | ClusterUnreachable} */
  override async request<T>(method: string, path: string, request: ApiRequest = {}): Promise<T> {
    try {
      return await pRetry(() => super.request<T>(method, path, request), {
        ...CONNECT_AGAIN,
        ...(request.signal && { signal: request.signal }),
        shouldRetry: ({ error }) => "code" in error && NOT_CONNECTED.includes(error.code),
      });
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new ClusterUnreachable(`the API server cannot be reached: ${messageOf(error)}`);
    }
  }
}
