import { Agent, type RequestOptions } from "node:https";
import { bounded } from "../host/bounded.ts";
import { messageOf } from "../host/failure.ts";

/** Address of an API server, and credentials of all requests; secret. */
export interface Connection {
  readonly server: string;
  readonly agent: Agent;
  readonly headers?: RequestOptions["headers"];
  /** `user:password`. */
  readonly auth?: string | null | undefined;
}

/** Connects as kubectl does, also by a program or through a proxy. @throws if there is no cluster, or the program fails. */
export async function clientConnection(kubeconfig: string): Promise<Connection> {
  // Loaded only if needed: that takes longer than everything else in an action.
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

/** With the `exec` program. @throws also if it exceeds its time limit, as it may wait for a login in a browser. */
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
