import net from "node:net";
import type { Duplex } from "node:stream";
import ssh2 from "ssh2";
import type { Client } from "ssh2";
import { connectConfig, type SshEndpoint } from "./endpoint.ts";

/** Pauses between attempts grow from the first to the longest by a factor (pulumi, sdk/go/common/util/retry). */
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 5000;

/**
 * The longest where attempts are not counted: whoever waits for a machine to boot would meet it 2.5 s late on average,
 * and each node reboots at least once.
 */
const LONGEST_UNCOUNTED_MILLISECONDS = 500;
const PAUSE_FACTOR = 1.5;

/** A failure like the one before is told again after this time: Windows boots for minutes. */
const SAME_AGAIN_MILLISECONDS = 5000;

/** What ends dialling, and gets to know what happens meanwhile. */
export interface Dialling {
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

/** A server, and the one from which it is dialled. */
export type ProxiedEndpoint = SshEndpoint & { readonly proxy?: SshEndpoint | undefined };

/** An open SSH connection; `close` must be called, it ends the one to a proxy too. */
export interface SshConnection {
  readonly client: Client;
  close(): void;
}

/**
 * Connects, over a proxy where there is one. Only this is tried again when it fails, as often as `dialErrorLimit`
 * says; what runs over the connection is not.
 */
export async function dial(
  { proxy, ...endpoint }: ProxiedEndpoint,
  operation: Dialling,
): Promise<SshConnection> {
  if (proxy === undefined) {
    const client = await dialHop("Dial", endpoint, operation);
    return { client, close: () => closeClient(client) };
  }
  const proxyClient = await dialHop("Dial proxy", proxy, operation);
  try {
    const client = await dialHop("Dial from proxy", endpoint, operation, { from: proxyClient });
    return {
      client,
      close: () => {
        closeClient(client);
        closeClient(proxyClient);
      },
    };
  } catch (error) {
    closeClient(proxyClient);
    throw error;
  }
}

/** How one server is dialled, where that is not from here, by a connection that keeps this process running. */
export interface HopOptions {
  /** Connection to the server before it, from which it is dialled. */
  readonly from?: Client | undefined;
  /** Whether this process may end while the connection is open; it is then not kept alive by asking. */
  readonly background?: boolean;
}

/**
 * Logs in to one server, as often as its `dialErrorLimit` says.
 *
 * @param what begins every message about it.
 */
export function dialHop(
  what: string,
  endpoint: SshEndpoint,
  operation: Dialling,
  { from, background = false }: HopOptions = {},
): Promise<Client> {
  const { signal } = operation;
  return retried(what, endpoint, operation, async () => {
    const socket = await (from === undefined
      ? connect(endpoint, signal)
      : openFrom(from, endpoint, signal));
    if (background && socket instanceof net.Socket) socket.unref();
    return logIn(endpoint, socket, signal, background);
  });
}

async function retried<Result>(
  what: string,
  endpoint: SshEndpoint,
  operation: Dialling,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { signal } = operation;
  const limit = endpoint.dialErrorLimit;
  const target = `${endpoint.host}:${String(endpoint.port)}`;
  // Keys that cannot be read are an error at once.
  connectConfig(endpoint, () => undefined);
  let pause = FIRST_PAUSE_MILLISECONDS;
  const longest = limit < 0 ? LONGEST_UNCOUNTED_MILLISECONDS : LONGEST_PAUSE_MILLISECONDS;
  let reason = "nothing yet";
  let said = { reason: "", at: 0 };
  for (let failed = 0; ;) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) {
        const why = (signal.reason as Error).message;
        throw new Error(`${what} ${target}: ${why}; last seen: ${reason}`);
      }
      reason = (error as Error).message;
    }
    failed += 1;
    if (limit >= 0 && failed > limit) {
      throw new Error(
        `${what} ${target}: after ${String(failed - 1)} failed attempts: ${reason} (connection.dialErrorLimit sets how many are borne)`,
      );
    }
    const of = limit < 0 ? "inf" : String(limit);
    if (reason !== said.reason || Date.now() - said.at > SAME_AGAIN_MILLISECONDS) {
      operation.progress(`${what} ${String(failed)}/${of} failed: retrying (${reason})`);
      said = { reason, at: Date.now() };
    }
    await sleep(pause, signal);
    pause = Math.min(pause * PAUSE_FACTOR, longest);
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

/** Opens a TCP connection to an SSH server. */
function connect(endpoint: SshEndpoint, signal: AbortSignal): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: endpoint.host, port: endpoint.port });
    // Not its own option `signal`: Node.js 20 listens to that for good, and a machine that boots is dialled often.
    const abort = (): void => {
      socket.destroy(signal.reason as Error);
    };
    signal.addEventListener("abort", abort);
    socket.once("close", () => {
      signal.removeEventListener("abort", abort);
    });
    if (signal.aborted) abort();
    const timer =
      endpoint.perDialTimeout > 0
        ? setTimeout(() => {
            socket.destroy(new Error(`no answer within ${String(endpoint.perDialTimeout)} s`));
          }, endpoint.perDialTimeout * 1000)
        : undefined;
    const failed = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once("error", failed);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", failed);
      resolve(socket.setNoDelay());
    });
  });
}

function logIn(
  endpoint: SshEndpoint,
  socket: Duplex,
  signal: AbortSignal,
  background: boolean,
): Promise<Client> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    let refusal: string | undefined;
    const fail = (error: Error): void => {
      signal.removeEventListener("abort", abort);
      client.destroy();
      reject(refusal === undefined ? error : new Error(refusal));
    };
    const abort = (): void => {
      fail(signal.reason as Error);
    };
    signal.addEventListener("abort", abort);
    if (signal.aborted) {
      abort();
      return;
    }
    client.on("keyboard-interactive", (_name, _instructions, _language, prompts, finish) => {
      finish(prompts.map(() => endpoint.password ?? ""));
    });
    client.on("error", fail);
    client.on("close", () => {
      fail(new Error("the server closed the connection"));
    });
    client.once("ready", () => {
      signal.removeEventListener("abort", abort);
      client.removeAllListeners("close");
      resolve(client);
    });
    const config = connectConfig(endpoint, (reason) => {
      refusal = reason;
    });
    // The timer of its questions would keep the process.
    client.connect({ ...config, ...(background && { keepaliveInterval: 0 }), sock: socket });
  });
}

/** Has a server open a TCP connection to an SSH server; within the same time as from here. */
export function openFrom(
  proxy: Client,
  endpoint: Pick<SshEndpoint, "host" | "port" | "perDialTimeout">,
  signal: AbortSignal,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    let over = false;
    const end = (): void => {
      over = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    const abort = (): void => {
      end();
      reject(signal.reason as Error);
    };
    const timer =
      endpoint.perDialTimeout > 0
        ? setTimeout(() => {
            end();
            reject(new Error(`no answer within ${String(endpoint.perDialTimeout)} s`));
          }, endpoint.perDialTimeout * 1000)
        : undefined;
    signal.addEventListener("abort", abort);
    if (signal.aborted) {
      abort();
      return;
    }
    proxy.forwardOut("127.0.0.1", 0, endpoint.host, endpoint.port, (error, channel) => {
      if (over) {
        // Too late: nobody waits for it any more.
        if (error === undefined) channel.destroy();
        return;
      }
      end();
      if (error) reject(error);
      else resolve(channel);
    });
  });
}

/** Ends a connection, whatever state it is in. */
export function closeClient(client: Client): void {
  client.on("error", () => undefined);
  client.end();
}
