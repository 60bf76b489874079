import net from "node:net";
import type { Duplex } from "node:stream";
import pRetry from "p-retry";
import ssh2 from "ssh2";
import type { Client } from "ssh2";
import { connectConfig, type PinnedEndpoint, type SshEndpoint } from "./endpoint.ts";

/** Pauses between attempts, in milliseconds, grow like this (pulumi, sdk/go/common/util/retry). */
const PAUSES = { minTimeout: 100, factor: 1.5, maxTimeout: 5000 };

/**
 * Where attempts are not counted, the longest is shorter: whoever waits for a machine to boot would meet it 2.5 s late on
 * average, and each node reboots at least once.
 */
const UNCOUNTED_ATTEMPTS = { ...PAUSES, retries: Infinity, maxTimeout: 500 };

/** A failure like the one before is told again after this time: Windows boots for minutes. */
const SAME_AGAIN_MILLISECONDS = 5000;

/** What ends dialling, and gets to know what happens meanwhile. */
export interface Dialling {
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

/** A server, and those by which it is reached: each is dialled from the one before it, the first from here. */
export type RoutedEndpoint = SshEndpoint & { readonly via?: readonly SshEndpoint[] };

/** An open SSH connection; `close` must be called, it ends those on the way too. */
export interface SshConnection {
  readonly client: Client;
  close(): void;
}

/** Retries while dialling, where nobody sets them. */
export const retryPolicy = { dialErrorLimit: 3, perDialTimeout: 10 };

/** How one server is logged in to, where that is not from here, by a connection that keeps this process running. */
interface LogInOptions {
  /** Connection to the server before it, from which it is dialled. */
  readonly from?: Client | undefined;
  /** Whether this process may end while the connection is open; it is then not kept alive by asking. */
  readonly background?: boolean;
}

/**
 * Connects. Only this is tried again when it fails, for each server as often as its `dialErrorLimit` says; what runs over
 * the connection is not.
 *
 * @throws an error that begins with `Dial`, `Dial proxy`, `Dial hop NUMBER` or `Dial from proxy`, by where it failed.
 */
export function dial(
  { via = [], ...endpoint }: RoutedEndpoint,
  operation: Dialling,
): Promise<SshConnection> {
  const hops = via.map((hop, index) => ({
    ...{ endpoint: hop, what: via.length === 1 ? "Dial proxy" : `Dial hop ${index + 1}` },
  }));
  const last = { endpoint, what: via.length === 0 ? "Dial" : "Dial from proxy" };
  return dialEach([...hops, last], operation);
}

/**
 * Logs in to servers one behind the other, with `retryPolicy`, by a connection that does not keep this process running.
 *
 * @throws an error that begins with `Dial hop NUMBER`, counted from 1.
 */
export function dialHops(
  hops: readonly PinnedEndpoint[],
  operation: Dialling,
): Promise<SshConnection> {
  const each = hops.map((hop, index) => ({
    ...{ endpoint: { ...hop, ...retryPolicy }, what: `Dial hop ${index + 1}` },
  }));
  return dialEach(each, operation, true);
}

/** @param way not empty; what begins every message about a server stands beside it. */
async function dialEach(
  way: readonly { readonly endpoint: SshEndpoint; readonly what: string }[],
  operation: Dialling,
  background = false,
): Promise<SshConnection> {
  const clients: Client[] = [];
  const close = (): void => {
    for (const client of clients.toReversed()) closeClient(client);
  };
  try {
    for (const { endpoint, what } of way) {
      const options = { from: clients.at(-1), background };
      clients.push(
        await retried(what, endpoint, operation, () =>
          logInTo(endpoint, operation.signal, options),
        ),
      );
    }
  } catch (error) {
    close();
    throw error;
  }
  return { client: clients.at(-1) as Client, close };
}

/** Logs in to a server, by one attempt. */
export async function logInTo(
  endpoint: SshEndpoint,
  signal: AbortSignal,
  { from, background = false }: LogInOptions = {},
): Promise<Client> {
  const socket = await (from === undefined
    ? connect(endpoint, signal)
    : openFrom(from, endpoint, signal));
  if (background && socket instanceof net.Socket) socket.unref();
  return logIn(endpoint, socket, signal, background);
}

/**
 * Does something over a connection to a server, and closes it.
 *
 * @param seconds that all of it may take.
 * @throws when it cannot be reached or takes too long, saying what was last seen.
 */
export function onServer<T>(
  endpoint: RoutedEndpoint,
  seconds: number,
  progress: (line: string) => void,
  work: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return within(seconds, async (signal) => {
    const ssh = await dial(endpoint, { signal, progress });
    try {
      return await work(ssh.client, signal);
    } finally {
      ssh.close();
    }
  });
}

/** Has work told when its time is over. */
export async function within<T>(
  seconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = new AbortController();
  const timeout = setTimeout(() => {
    timer.abort(new Error(`no end within ${seconds} s`));
  }, seconds * 1000);
  try {
    return await work(timer.signal);
  } finally {
    clearTimeout(timeout);
  }
}

async function retried<Result>(
  what: string,
  endpoint: SshEndpoint,
  operation: Dialling,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { signal } = operation;
  const limit = endpoint.dialErrorLimit ?? 0;
  const target = `${endpoint.host}:${String(endpoint.port)}`;
  // Keys that cannot be read are an error at once.
  connectConfig(endpoint, () => undefined);
  let reason = "nothing yet";
  let said = { reason: "", at: 0 };
  try {
    return await pRetry(attempt, {
      ...(limit < 0 ? UNCOUNTED_ATTEMPTS : { retries: limit, ...PAUSES }),
      signal,
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => {
        if (signal.aborted) return;
        reason = error.message;
        const isNews = reason !== said.reason || Date.now() - said.at > SAME_AGAIN_MILLISECONDS;
        if (retriesLeft > 0 && isNews) {
          const of = limit < 0 ? "inf" : String(limit);
          operation.progress(`${what} ${attemptNumber}/${of} failed: retrying (${reason})`);
          said = { reason, at: Date.now() };
        }
      },
    });
  } catch {
    throw new Error(
      signal.aborted
        ? `${what} ${target}: ${(signal.reason as Error).message}; last seen: ${reason}`
        : `${what} ${target}: after ${limit} failed attempts: ${reason} (connection.dialErrorLimit sets how many are borne)`,
    );
  }
}

function dialTimer(
  { perDialTimeout = 15 }: Pick<SshEndpoint, "perDialTimeout">,
  late: (error: Error) => void,
): NodeJS.Timeout | undefined {
  return perDialTimeout > 0
    ? setTimeout(() => {
        late(new Error(`no answer within ${perDialTimeout} s`));
      }, perDialTimeout * 1000)
    : undefined;
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
    const timer = dialTimer(endpoint, (error) => socket.destroy(error));
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
    let refusal: Error | undefined;
    const fail = (error: Error): void => {
      signal.removeEventListener("abort", abort);
      client.destroy();
      reject(refusal ?? error);
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
    const timer = dialTimer(endpoint, (error) => {
      end();
      reject(error);
    });
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

/** The connection broke: nobody knows what became of what ran over it. */
export class ConnectionLost extends Error {
  /** @param why what the connection says of it, where it says something. */
  constructor(readonly why = "") {
    super(`the connection was lost${why}`);
  }
}

/** Watches whether a connection breaks. */
export class LossWatch {
  readonly #client: Client;
  readonly #tell: (error: ConnectionLost) => void;
  #why = "";

  /** @param tell gets to know that it broke. */
  constructor(client: Client, tell: (error: ConnectionLost) => void) {
    this.#client = client.on("error", this.#note).on("close", this.#lost);
    this.#tell = tell;
  }

  /** For what shows itself that the connection broke. */
  error(): ConnectionLost {
    return new ConnectionLost(this.#why);
  }

  end(): void {
    this.#client.off("error", this.#note).off("close", this.#lost);
  }

  readonly #note = ({ message }: Error): void => {
    this.#why = `: ${message}`;
  };

  readonly #lost = (): void => {
    this.#tell(this.error());
  };
}

/** Ends a connection, whatever state it is in. */
function closeClient(client: Client): void {
  client.on("error", () => undefined);
  client.end();
}
