import type { Duplex } from "node:stream";
import ssh2 from "ssh2";

/** A machine that can be logged in to. */
export interface SshSource {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly privateKey: string;
  /** Pinned: `ssh-ed25519 AAAA...`. */
  readonly hostKey: string;
  /** How long it may answer nothing at all before the connection counts as lost, in seconds. Default: 45. */
  readonly silentSeconds?: number;
}

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

/** How often a machine is asked whether it is there still. */
const keepaliveSeconds = 15;

/** The most a machine may send: an archive of a few MiB, in base64. */
const longestOutput = 128 * 1024 * 1024;

/**
 * What a command writes to standard output on a machine.
 *
 * @param input what it gets on its standard input; may be secret. Default: nothing.
 * @param forward a way back for what it runs. Where the machine refuses to make one, the command runs without. Default:
 * none.
 * @throws when it can't be reached, has another host key, ends with another exit code than 0, writes too much, or takes
 * too long; with the end of what it wrote to standard error.
 */
export async function runOverSsh(
  source: SshSource,
  command: string,
  timeoutSeconds: number,
  input = "",
  forward?: RemoteForward,
): Promise<string> {
  const client = new ssh2.Client();
  const pinned = Buffer.from(source.hostKey.trim().split(/\s+/)[1] ?? "", "base64");
  let timer: NodeJS.Timeout | undefined;
  let isDone = false;
  try {
    const written = await new Promise<string>((resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no end within ${timeoutSeconds} s`));
      }, timeoutSeconds * 1000);
      client.once("error", reject);
      client.once("close", () => {
        reject(new Error("the connection was lost"));
      });
      const run = (): void => {
        client.exec(command, (error, channel) => {
          if (error) {
            reject(error);
            return;
          }
          const chunks: Buffer[] = [];
          let length = 0;
          let errors = "";
          let exitCode: number | undefined;
          channel.on("data", (chunk: Buffer) => {
            chunks.push(chunk);
            length += chunk.length;
            if (length > longestOutput) reject(new Error("it sends more than 128 MiB"));
          });
          channel.stderr.on("data", (chunk: Buffer) => {
            errors = (errors + chunk.toString()).slice(-1000);
          });
          channel.on("exit", (code: number) => (exitCode = code));
          channel.on("close", () => {
            const output = Buffer.concat(chunks).toString("utf8");
            if (exitCode === 0) resolve(output);
            else if (exitCode === undefined) reject(new Error("the connection was lost"));
            else
              reject(
                new CommandFailed(`exit code ${exitCode}: ${errors.trim()}`, exitCode, output),
              );
          });
          channel.end(input);
        });
      };
      if (forward !== undefined) {
        client.on("tcp connection", (_details, accept) => {
          forward.accept(accept());
        });
      }
      client.once("ready", () => {
        if (forward === undefined) run();
        else client.forwardIn("127.0.0.1", forward.port, run);
      });
      client.connect({
        host: source.host,
        port: source.port,
        username: source.user,
        privateKey: source.privateKey,
        hostVerifier: (key: Buffer) => key.equals(pinned),
        readyTimeout: 15_000,
        keepaliveInterval: keepaliveSeconds * 1000,
        keepaliveCountMax: Math.ceil((source.silentSeconds ?? 45) / keepaliveSeconds),
      });
    });
    isDone = true;
    return written;
  } finally {
    clearTimeout(timer);
    client.on("error", () => undefined);
    // One that is still being made, or hangs, would keep this process for minutes.
    if (isDone) client.end();
    else client.destroy();
  }
}
