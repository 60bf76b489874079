import { Agent, type RequestOptions } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

/** Where an API server is, and with what every request is sent; secret. */
export interface Connection {
  readonly server: string;
  readonly agent: Agent;
  readonly headers?: RequestOptions["headers"];
  /** `user:password`. */
  readonly auth?: string | null | undefined;
}

/** What is taken of a kubeconfig. Default: its current context, and that one's cluster. */
export interface Choice {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
}

/**
 * Connects as kubectl does: with what is in the kubeconfig or in files it names, by a program (`exec`,
 * client.authentication.k8s.io), through a proxy.
 *
 * @throws when there is no such cluster in it, or its program does not run, or fails.
 */
export async function clientConnection(
  kubeconfig: string,
  choice: Choice = {},
): Promise<Connection> {
  // Loaded where it is needed: it takes longer than all that an action does.
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js");
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const currentContext = choice.context ?? config.getCurrentContext();
  const { clusters, users } = config;
  const contexts = config.contexts.map((context) =>
    context.name === currentContext
      ? { ...context, cluster: choice.cluster ?? context.cluster }
      : context,
  );
  config.loadFromOptions({ clusters, users, contexts, currentContext });
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new Error(
      `the kubeconfig has no cluster for the context ${JSON.stringify(currentContext)}`,
    );
  }
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { agent, auth, headers, ca, cert, key, rejectUnauthorized, servername } = options;
  return {
    ...{ server: cluster.server, auth, headers },
    agent:
      cluster.proxyUrl === undefined
        ? new Agent({ ca, cert, key, rejectUnauthorized, servername, keepAlive: true })
        : (agent as Agent),
  };
}

/**
 * The same by the program that a kubeconfig's user names.
 *
 * @throws also when it does not end in time: it may wait for somebody at a browser.
 */
export async function programConnection(
  kubeconfig: string,
  program: string,
  timeoutSeconds: number,
): Promise<Connection> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      clientConnection(kubeconfig),
      sleep(timeoutSeconds * 1000, undefined, { signal: timer.signal }).then(() => {
        throw new Error(`no answer within ${timeoutSeconds} s`);
      }),
    ]);
  } catch (error) {
    const why = error instanceof Error ? error.message.trim() : String(error);
    throw new Error(`the kubeconfig's program ${program} gives no credentials: ${why}`);
  } finally {
    timer.abort();
  }
}
