import ssh2, { type ConnectConfig } from "ssh2";
import { generateEd25519 } from "../../../ssh/generate-ed25519.ts";
import type { RehearsalHost } from "../../rehearsed-machine/in-process.ts";

/** A key pair for the tests of one file. */
export const adminKey = generateEd25519();

/** What a command left behind. */
export interface CommandResult {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Connects as Administrator, the host key pinned, unless asked otherwise. */
export async function connect(
  host: RehearsalHost,
  settings: ConnectConfig = {},
): Promise<ssh2.Client> {
  const client = new ssh2.Client();
  const pinned = Buffer.from(host.hostKey.split(" ")[1] ?? "", "base64");
  await new Promise<void>((resolve, reject) => {
    client.once("ready", resolve);
    client.once("error", reject);
    client.connect({
      host: "127.0.0.1",
      port: host.port,
      username: "Administrator",
      privateKey: adminKey.private,
      hostVerifier: (key: Buffer) => key.equals(pinned),
      readyTimeout: 300_000,
      ...settings,
    });
  });
  client.on("error", () => undefined); // a connection that a test breaks
  client.setNoDelay(); // else many small requests, as of SFTP, wait for each other's acknowledgement
  return client;
}

/** Runs one command over its own session; an exit code of undefined means the connection broke. */
export async function run(
  client: ssh2.Client,
  command: string,
  stdin = "",
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) {
        reject(error);
        return;
      }
      let stdout = "";
      let stderr = "";
      let exitCode: number | undefined;
      channel.on("data", (data: Buffer) => (stdout += data.toString()));
      channel.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
      channel.on("exit", (code: number) => (exitCode = code));
      channel.on("close", () => resolve({ exitCode, stdout, stderr }));
      channel.end(stdin);
    });
  });
}

/** Where the tests put the real step scripts. */
export const remoteSteps = "C:\\kindows\\steps\\0123456789ab";

/** The command line of one step. */
export function stepCommand(step: string, args: readonly string[]): string {
  const quoted = args.map((argument) => (argument === "" ? '""' : argument));
  return `powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File ${remoteSteps}\\${step}.ps1 ${quoted.join(" ")}`;
}
