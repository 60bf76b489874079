import type { Client } from "ssh2";
import { logInTo } from "../../../../host/ssh/dial.ts";
import type { SshEndpoint } from "../../../../host/ssh/endpoint.ts";
import { generateEd25519 } from "../../../../host/ssh/generate-ed25519.ts";
import { type CommandEnd, runOn, type SshSource } from "../../../../host/ssh/run-over-ssh.ts";
import type { RehearsedMachine } from "../../../rehearsed-machine/in-process.ts";

/** A key pair for the tests of one file. */
export const adminKey = generateEd25519();

const limit = (): AbortSignal => AbortSignal.timeout(300_000);

export const loginOf = (machine: RehearsedMachine): SshSource => ({
  host: machine.address,
  port: machine.port,
  user: "Administrator",
  privateKey: adminKey.private,
  hostKey: machine.hostKey,
});

/** Connects as Administrator unless asked otherwise. */
export function connect(
  machine: RehearsedMachine,
  settings: Partial<SshEndpoint> = {},
): Promise<Client> {
  return logInTo({ ...loginOf(machine), ...settings }, limit());
}

export function run(client: Client, command: string): Promise<CommandEnd> {
  return runOn(client, command, limit());
}

/** Folder in which the tests put the real step scripts. */
export const remoteSteps = "C:\\kindows\\steps\\0123456789ab";

export function stepCommand(step: string, args: readonly string[], folder = remoteSteps): string {
  const quoted = args.map((argument) => (argument === "" ? '""' : argument));
  return `powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File ${folder}\\${step}.ps1 ${quoted.join(" ")}`;
}
