import { Agent, type RequestOptions } from "node:https";
import { bounded } from "../bounded.ts";
import { messageOf } from "../failure.ts";

/** Address of an API server and the credentials for all requests; secret. */
export interface Connection {
  readonly server: string;
  readonly agent: Agent;
  readonly headers?: RequestOptions["headers"];
  /** `user:password`. */
  readonly auth?: string | null | undefined;
}

/**
 * Prepares connections as kubectl does, including credentials from an `exec` program and a proxy.
 *
 * @throws if the kubeconfig has no cluster, or the program fails.
 */
export async function clientConnection(kubeconfig: string): Promise<Connection> {
  // Loaded only if needed, because loading it takes longer than everything else in an action.
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js");
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const context = JSON.stringify(config.getCurrentContext());
    throw new Error(`the kubeconfig has no cluster for the context ${context}`);
  }
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { agent, auth, headers, ca, cert, key, rejectUnauthorized, servername } = options;
  return {
    server: cluster.server,
    auth,
    headers,
    agent:
      cluster.proxyUrl === undefined
        ? new Agent({ ca, cert, key, rejectUnauthorized, servername, keepAlive: true })
        : (agent as Agent),
  };
}

/**
 * Prepares connections with credentials from an `exec` program.
 *
 * @throws also if the program exceeds the time limit, because it may wait for a login in a browser.
 */
export async function programConnection(
  kubeconfig: string,
  program: string,
  timeoutSeconds: number,
): Promise<Connection> {
  try {
    return await bounded(clientConnection(kubeconfig), timeoutSeconds);
  } catch (error) {
    const why = messageOf(error).trim();
    throw new Error(`the kubeconfig's program ${program} gives no credentials: ${why}`);
  }
}
