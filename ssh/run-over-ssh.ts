import type { Duplex } from "node:stream";
import type { Client, ClientChannel } from "ssh2";
import { LossWatch, logInTo, within } from "./dial.ts";
import type { PinnedEndpoint } from "./endpoint.ts";

/** A machine that can be logged in to. */
export type SshSource = PinnedEndpoint & { readonly privateKey: string };

/** A command was run to its end, and that was not a good one. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";

  /**
   * @param exitCode the command's own.
   * @param output what it wrote to standard output.
   */
  constructor(
    message: string,
    readonly exitCode: number,
    readonly output = "",
  ) {
    super(message);
  }
}

/** A port on the machine's loopback that leads here while a command runs. */
export interface RemoteForward {
  readonly port: number;
  /** Gets each connection; it is to see to the connection's errors and its end. */
  readonly accept: (connection: Duplex) => void;
}

/** The most a machine may send: an archive of a few MiB, in base64. */
const longestOutput = 128 * 1024 * 1024;

/** How long a machine may answer nothing, in seconds. */
const silentSeconds = 45;

/**
 * What a command writes to standard output on a machine, which is logged in to for it, by one attempt.
 *
 * @param input what it gets on its standard input; may be secret. Default: nothing.
 * @param forward a way back for what it runs. Where the machine refuses to make one, the command runs without. Default:
 * none.
 * @throws when it can't be reached, has another host key, ends with another exit code than 0, writes too much, or takes
 * too long; with the end of what it wrote to standard error.
 */
export function runOverSsh(
  source: SshSource,
  command: string,
  timeoutSeconds: number,
  input = "",
  forward?: RemoteForward,
): Promise<string> {
  return within(timeoutSeconds, async (signal) => {
    const client = await logInTo({ silentSeconds, ...source }, signal);
    try {
      if (forward !== undefined) await forwardFrom(client, forward);
      const { exitCode, stdout, stderr } = await runOn(client, command, signal, input);
      if (exitCode !== 0) {
        throw new CommandFailed(`exit code ${exitCode}: ${stderr.trim()}`, exitCode, stdout);
      }
      client.end();
      return stdout;
    } catch (error) {
      // One that hangs would keep this process for minutes.
      client.destroy();
      throw error;
    }
  });
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

/** What a command came to. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: string;
  /** The end of it. */
  readonly stderr: string;
}

/**
 * @param input what it gets on its standard input; may be secret. Default: nothing.
 * @throws when the connection breaks or the time is over before the command has ended, or it writes too much.
 */
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

/** With what a command runs, and who gets what it writes. */
export interface Execution {
  readonly input?: string;
  readonly env?: Record<string, string>;
  readonly stdout: (chunk: Buffer) => void;
  readonly stderr: (chunk: Buffer) => void;
  /** Ends the command's session. */
  readonly signal: AbortSignal;
}

/** How a command ended: with a code of its own, or by a signal. */
export interface CommandExit {
  readonly exitCode?: number;
  readonly killedBy?: string;
}

/**
 * Runs a command over a connection to its end.
 *
 * @throws {ConnectionLost} when the connection breaks before that.
 * @throws what the signal was aborted with.
 */
export function execute(
  client: Client,
  command: string,
  { input = "", env, stdout, stderr, signal }: Execution,
): Promise<CommandExit> {
  return new Promise((resolve, reject) => {
    let session: ClientChannel | undefined;
    const abort = (): void => {
      session?.signal("KILL");
      session?.close();
      fail(signal.reason as Error);
    };
    const letGo = (): void => {
      signal.removeEventListener("abort", abort);
      loss.end();
    };
    const fail = (error: Error): void => {
      letGo();
      reject(error);
    };
    signal.addEventListener("abort", abort);
    const loss = new LossWatch(client, fail);
    client.exec(command, { ...(env && { env }) }, (error, channel) => {
      if (error) {
        fail(error);
        return;
      }
      session = channel;
      if (signal.aborted) abort();
      let exit: CommandExit | undefined;
      channel.on("data", stdout);
      channel.stderr.on("data", stderr);
      channel.once("exit", (code: number | null, killedBy?: string) => {
        exit = code === null ? { killedBy: killedBy ?? "an unknown signal" } : { exitCode: code };
      });
      channel.once("close", () => {
        letGo();
        if (exit === undefined) reject(loss.error());
        else resolve(exit);
      });
      // A command need not read its input to the end.
      channel.on("error", () => undefined);
      channel.end(input);
    });
  });
}
