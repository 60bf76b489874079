import type { Duplex } from "node:stream";
import type { Client, ClientChannel } from "ssh2";
import { bounded } from "../bounded.ts";
import { logInTo, watchLoss, within } from "./dial.ts";
import type { SshEndpoint } from "./endpoint.ts";

export type SshSource = SshEndpoint & { readonly privateKey: string };

export class CommandFailed extends Error {
  override readonly name = "CommandFailed";

  constructor(
    message: string,
    readonly exitCode: number,
    readonly output = "",
  ) {
    super(message);
  }
}

/** A port on the machine's loopback interface that is forwarded to this process while a command runs. */
interface RemoteForward {
  readonly port: number;
  /** Called with each connection; must handle its errors and its end. */
  readonly accept: (connection: Duplex) => void;
}

interface RemoteRun {
  /** Standard input; may be secret. */
  readonly input?: string | undefined;
  /** A port to forward to this process; if the machine refuses, the command runs without it. */
  readonly forward?: RemoteForward;
}

/** Largest output of a command; the largest expected one is an archive of a few MiB, in base64. */
const longestOutput = 128 * 1024 * 1024;

const silentSeconds = 45;

/**
 * Logs in, with a single attempt, runs a command, and returns its standard output.
 *
 * @throws if the command fails, writes too much, or takes too long; with the end of its standard error.
 */
export function runOverSsh(
  source: SshSource,
  command: string,
  timeoutSeconds: number,
  { input = "", forward }: RemoteRun = {},
): Promise<string> {
  return overSsh(source, timeoutSeconds, async (client, signal) => {
    if (forward !== undefined) await forwardFrom(client, forward);
    return outputOf(client, command, signal, input);
  });
}

/** Logs in, with a single attempt, does some work within a time limit, and closes the connection. */
export function overSsh<T>(
  source: SshSource,
  timeoutSeconds: number,
  work: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return within(timeoutSeconds, async (signal) => {
    const client = await logInTo({ silentSeconds, ...source }, signal);
    try {
      const result = await work(client, signal);
      client.end();
      return result;
    } catch (error) {
      // A hanging connection would keep this process running for minutes.
      client.destroy();
      throw error;
    }
  });
}

/** Standard output of a command. @throws CommandFailed, with the end of its standard error. */
export async function outputOf(
  client: Client,
  command: string,
  signal: AbortSignal,
  input = "",
): Promise<string> {
  const { exitCode, stdout, stderr } = await runOn(client, command, signal, input);
  if (exitCode !== 0) {
    throw new CommandFailed(`exit code ${exitCode}: ${stderr.trim()}`, exitCode, stdout);
  }
  return stdout;
}

function forwardFrom(client: Client, { port, accept }: RemoteForward): Promise<void> {
  client.on("tcp connection", (_details, open) => {
    accept(open());
  });
  return new Promise((resolve) => {
    client.forwardIn("127.0.0.1", port, () => {
      resolve();
    });
  });
}

export interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: string;
  /** The last 1000 characters. */
  readonly stderr: string;
}

/** @param input may be secret. @throws if the connection is lost, the signal aborts, or the command writes too much. */
export async function runOn(
  client: Client,
  command: string,
  signal: AbortSignal,
  input = "",
): Promise<CommandEnd> {
  const chunks: Buffer[] = [];
  let length = 0;
  let stderr = "";
  const tooMuch = new AbortController();
  const { exitCode, killedBy } = await execute(client, command, {
    input,
    signal: AbortSignal.any([signal, tooMuch.signal]),
    stdout: (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > longestOutput) tooMuch.abort(new Error("it sends more than 128 MiB"));
    },
    stderr: (chunk) => {
      stderr = (stderr + chunk.toString()).slice(-1000);
    },
  });
  if (exitCode === undefined) throw new Error(`the command was ended by ${killedBy}`);
  return { exitCode, stdout: Buffer.concat(chunks).toString("utf8"), stderr };
}

interface Execution {
  readonly input?: string;
  readonly stdout: (chunk: Buffer) => void;
  readonly stderr: (chunk: Buffer) => void;
  readonly signal: AbortSignal;
}

interface CommandExit {
  readonly exitCode?: number;
  readonly killedBy?: string;
}

/** @throws {ConnectionLost} if the connection is lost before the command ends. @throws the signal's reason. */
export async function execute(
  client: Client,
  command: string,
  { input = "", stdout, stderr, signal }: Execution,
): Promise<CommandExit> {
  const loss = watchLoss(client);
  let session: ClientChannel | undefined;
  const kill = (): void => {
    session?.signal("KILL");
    session?.close();
  };
  const ended = new Promise<CommandExit>((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) {
        reject(error);
        return;
      }
      session = channel;
      if (signal.aborted) kill();
      let exit: CommandExit | undefined;
      channel.on("data", stdout);
      channel.stderr.on("data", stderr);
      channel.once("exit", (code: number | null, killedBy = "an unknown signal") => {
        exit = code === null ? { killedBy } : { exitCode: code };
      });
      channel.once("close", () => {
        if (exit === undefined) reject(loss.error());
        else resolve(exit);
      });
      // A command need not read all of its input.
      channel.on("error", () => undefined);
      channel.end(input);
    });
  });
  try {
    return await bounded(Promise.race([ended, loss.lost]), 0, signal);
  } catch (error) {
    if (signal.aborted) kill();
    throw error;
  } finally {
    loss.end();
  }
}
