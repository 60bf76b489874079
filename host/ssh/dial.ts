import { once } from "node:events";
import net from "node:net";
import type { Duplex } from "node:stream";
import pRetry from "p-retry";
import ssh2 from "ssh2";
import type { Client } from "ssh2";
import { bounded, NoAnswer } from "../bounded.ts";
import { connectConfig, HostKeyRefused, type SshEndpoint } from "./endpoint.ts";

/** Pauses between attempts, in milliseconds (pulumi, sdk/go/common/util/retry). */
const PAUSES = { minTimeout: 100, factor: 1.5, maxTimeout: 5000 };

/** Pauses for unlimited attempts; a pause of 5 s would delay each boot of a machine by 2.5 s on average. */
const UNCOUNTED_ATTEMPTS = { ...PAUSES, retries: Infinity, maxTimeout: 500 };

/** An unchanged failure is reported again after this time, because Windows takes minutes to boot. */
const SAME_AGAIN_MILLISECONDS = 5000;

/** Longest wait for a server to close its side of a connection. */
const answerMilliseconds = 2000;

interface Dialling {
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

/** A server and the hops to it. Each is dialled from the one before it, and the first from this host. */
export type RoutedEndpoint = SshEndpoint & { readonly via?: readonly SshEndpoint[] };

/** An open SSH connection; `close` must be called, and also closes the hops. */
export interface SshConnection {
  readonly client: Client;
  close(): void;
}

/** Why a server could not be reached, or did not let in. */
export type DialCause = "host-key" | "login" | "refused" | "silent" | "name" | "forwarding";

/** A server on a route could not be reached, or did not let in. */
export class DialFailed extends Error {
  constructor(
    /** The step that failed, and its server. */
    what: string,
    /** Index of the server on the route; the first one is dialled from this host. */
    readonly index: number,
    /** What was seen, for people. */
    readonly reason: string,
    /** Undefined if it is none of those with a remedy. */
    readonly kind: DialCause | undefined,
    remark = "",
  ) {
    super(`${what}: ${reason}${remark}`);
  }
}

/** A server does not open connections to others. */
class ForwardingRefused extends Error {}

const causesByCode: Readonly<Record<string, DialCause>> = {
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "silent",
  ENETUNREACH: "silent",
  ETIMEDOUT: "silent",
  ENOTFOUND: "name",
  EAI_AGAIN: "name",
};

/** @param error of one attempt to connect to a server and to log in. */
export function dialCauseOf(error: unknown): DialCause | undefined {
  if (error instanceof HostKeyRefused) return "host-key";
  if (error instanceof ForwardingRefused) return "forwarding";
  if (error instanceof NoAnswer) return "silent";
  if (!(error instanceof Error)) return undefined;
  // ssh2 names the level of its errors, Node.js the code.
  if ("level" in error && error.level === "client-authentication") return "login";
  return "code" in error ? causesByCode[String(error.code)] : undefined;
}

export const retryPolicy = { dialErrorLimit: 3, perDialTimeout: 10 };

/**
 * Connects to a server, with retries.
 *
 * @throws DialFailed, which begins with the failed step: `Dial`, `Dial proxy`, `Dial hop NUMBER` or `Dial from proxy`.
 */
export function dial(
  { via = [], ...endpoint }: RoutedEndpoint,
  operation: Dialling,
): Promise<SshConnection> {
  const hops = via.map((hop, index) => ({
    endpoint: hop,
    what: via.length === 1 ? "Dial proxy" : `Dial hop ${index + 1}`,
  }));
  const last = { endpoint, what: via.length === 0 ? "Dial" : "Dial from proxy" };
  return dialEach([...hops, last], operation);
}

/**
 * Connects through hops with `retryPolicy`. The connection does not keep this process running.
 *
 * @throws DialFailed, which begins with the failed step: `Dial hop NUMBER`, counted from 1.
 */
export function dialHops(
  hops: readonly SshEndpoint[],
  operation: Dialling,
): Promise<SshConnection> {
  const each = hops.map((hop, index) => ({
    endpoint: { ...hop, ...retryPolicy },
    what: `Dial hop ${index + 1}`,
  }));
  return dialEach(each, operation, true);
}

/** @param servers not empty; each with the prefix of its messages. */
async function dialEach(
  servers: readonly { readonly endpoint: SshEndpoint; readonly what: string }[],
  operation: Dialling,
  background = false,
): Promise<SshConnection> {
  const clients: Client[] = [];
  const close = (): void => {
    for (const client of clients.toReversed()) client.end();
  };
  try {
    for (const [index, { endpoint, what }] of servers.entries()) {
      const logIn = () => logInTo(endpoint, operation.signal, clients.at(-1), background);
      clients.push(await retried({ what, index }, endpoint, operation, logIn));
    }
  } catch (error) {
    close();
    throw error;
  }
  return { client: clients.at(-1) as Client, close };
}

/**
 * Connects to a server, does some work, and closes the connection.
 *
 * @param seconds time limit for connecting and the work.
 * @throws after the time limit, with the last failure to connect.
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
  { what, index }: { readonly what: string; readonly index: number },
  endpoint: SshEndpoint,
  operation: Dialling,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { signal } = operation;
  const limit = endpoint.dialErrorLimit ?? 0;
  const target = `${endpoint.host}:${String(endpoint.port)}`;
  // Throws at once if a key cannot be read.
  connectConfig(endpoint, () => undefined);
  let reason = "nothing yet";
  let cause: DialCause | undefined;
  let reported = { reason: "", at: 0 };
  try {
    return await pRetry(attempt, {
      ...(limit < 0 ? UNCOUNTED_ATTEMPTS : { retries: limit, ...PAUSES }),
      signal,
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => {
        if (signal.aborted) return;
        reason = error.message;
        cause = dialCauseOf(error);
        const isNews =
          reason !== reported.reason || Date.now() - reported.at > SAME_AGAIN_MILLISECONDS;
        if (retriesLeft > 0 && isNews) {
          const of = limit < 0 ? "inf" : String(limit);
          operation.progress(`${what} ${attemptNumber}/${of} failed: retrying (${reason})`);
          reported = { reason, at: Date.now() };
        }
      },
    });
  } catch {
    if (signal.aborted) {
      const seen = `${(signal.reason as Error).message}; last seen: ${reason}`;
      throw new DialFailed(`${what} ${target}`, index, seen, cause ?? "silent");
    }
    throw new DialFailed(
      `${what} ${target}: after ${limit} failed attempts`,
      index,
      reason,
      cause,
      " (connection.dialErrorLimit sets how many are allowed)",
    );
  }
}

const defaultDialSeconds = 15;

async function connect(
  { host, port, perDialTimeout = defaultDialSeconds }: SshEndpoint,
  signal: AbortSignal,
): Promise<net.Socket> {
  const socket = net.connect({ host, port, noDelay: true });
  // Does not use the option `signal` of net.connect, because Node.js never removes that listener and a booting machine
  // is dialled often.
  const abort = (): void => {
    socket.destroy(signal.reason as Error);
  };
  signal.addEventListener("abort", abort);
  socket.once("close", () => {
    signal.removeEventListener("abort", abort);
  });
  try {
    await bounded(once(socket, "connect"), perDialTimeout, signal);
    return socket;
  } catch (error) {
    socket.on("error", () => undefined).destroy();
    throw error;
  }
}

/**
 * Logs in to a server, with a single attempt.
 *
 * @param from connection to the hop before the server. Default: dials from this host.
 * @param background whether this process may end while the connection is open. If so, it sends no keep-alives.
 */
export async function logInTo(
  endpoint: SshEndpoint,
  signal: AbortSignal,
  from?: Client,
  background = false,
): Promise<Client> {
  const socket = await (from ? openFrom(from, endpoint, signal) : connect(endpoint, signal));
  if (background && socket instanceof net.Socket) socket.unref();
  // A machine that has lost its power does not answer the end of a connection, and would keep this process running.
  socket.once("finish", () => {
    const late = setTimeout(() => socket.destroy(), answerMilliseconds);
    socket.once("close", () => clearTimeout(late));
  });
  const client = new ssh2.Client();
  let refusal: Error | undefined;
  const config = connectConfig(endpoint, (reason) => {
    refusal = reason;
  });
  const ready = new Promise<void>((resolve, reject) => {
    client.once("ready", resolve);
    client.on("error", (error) => {
      reject(error);
      client.destroy();
    });
    client.once("close", () => reject(new Error("the server closed the connection")));
  });
  // The timer of the keep-alives would keep the process running.
  client.connect({ ...config, ...(background && { keepaliveInterval: 0 }), sock: socket });
  try {
    await bounded(ready, 0, signal);
    return client;
  } catch (error) {
    client.destroy();
    throw refusal ?? error;
  }
}

/** Opens a TCP connection to an SSH server from another server, with the same time limit as from this host. */
export async function openFrom(
  proxy: Client,
  {
    host,
    port,
    perDialTimeout = defaultDialSeconds,
  }: Pick<SshEndpoint, "host" | "port" | "perDialTimeout">,
  signal: AbortSignal,
): Promise<Duplex> {
  signal.throwIfAborted();
  const opening = new Promise<Duplex>((resolve, reject) => {
    proxy.forwardOut("127.0.0.1", 0, host, port, (error, channel) => {
      if (error) reject(new ForwardingRefused(error.message));
      else resolve(channel);
    });
  });
  try {
    return await bounded(opening, perDialTimeout, signal);
  } catch (error) {
    // Closes a channel that opens too late.
    opening.then((channel) => channel.destroy()).catch(() => undefined);
    throw error;
  }
}

export class ConnectionLost extends Error {
  /** @param why the connection's error, if there is one. */
  constructor(readonly why = "") {
    super(`the connection was lost${why}`);
  }
}

export interface LossWatch {
  /** Rejects when the connection is lost. */
  readonly lost: Promise<never>;
  /** For errors that themselves show that the connection was lost. */
  error(): ConnectionLost;
  end(): void;
}

export function watchLoss(client: Client): LossWatch {
  let why = "";
  const note = ({ message }: Error): void => {
    why = `: ${message}`;
  };
  const error = (): ConnectionLost => new ConnectionLost(why);
  let closed = (): void => undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    closed = () => reject(error());
  });
  // Between requests, no other handler is attached to this promise.
  lost.catch(() => undefined);
  client.on("error", note).on("close", closed);
  return { lost, error, end: () => client.off("error", note).off("close", closed) };
}
