import { readFileSync } from "node:fs";
import type { Client } from "ssh2";
import { privateKey as keyComplaint } from "../../../config/values/private-key.ts";
import { messageOf } from "../../../host/failure.ts";
import { runOnWindows, scriptCommand } from "../../../host/ssh/windows-command.ts";
import { parseStepResult, type StepResult } from "../../node/step-result.ts";
import { filesHash } from "../../node/folder-hash.ts";
import { RemoteFiles } from "../../../host/ssh/remote-files.ts";
import { onMachine } from "../dial-machine.ts";
import { type HyperVHostParameter, hyperVHostText, type HyperVTarget } from "./parameters.ts";
import {
  hyperVScriptFiles,
  type HyperVScript,
  hyperVScripts,
  type ScriptInputs,
  scriptValues,
} from "./scripts.ts";

/** Marker file that is written last into a folder of scripts. A folder without it is incomplete. */
const completeFile = "complete";

/** An open connection to a Hyper-V host, with the scripts there. */
export interface HyperVSession {
  readonly host: HyperVHostParameter;
  /**
   * Runs a script. If the script fails, throws an error with the script's message and remedy.
   *
   * @param inputs values for the script's parameters that add to or override those of the host.
   * @param input standard input of the script; may be secret.
   */
  run(script: HyperVScript, inputs?: Partial<ScriptInputs>, input?: string): Promise<StepResult>;
  removeScripts(): Promise<void>;
}

/**
 * Runs something on a Hyper-V host with a time limit. Errors name the host and, if it cannot be reached, the remedy.
 */
export async function onHyperVHost<T>(
  host: HyperVHostParameter,
  seconds: number,
  work: (session: HyperVSession) => Promise<T>,
): Promise<T> {
  try {
    return await dialHyperVHost(host, seconds, async (client, signal) =>
      work(await sessionOn(client, signal, host)),
    );
  } catch (error) {
    throw new Error(`${hyperVHostText(host)}: ${messageOf(error)}`);
  }
}

/** Connects to a Hyper-V host, without the scripts, and runs something over the connection. The host key is pinned. */
export async function dialHyperVHost<T>(
  host: HyperVTarget,
  seconds: number,
  work: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { name, address, port, user, hostKey, privateKeyFile } = host;
  let privateKey: string;
  try {
    privateKey = readFileSync(privateKeyFile, "utf8");
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? "no file";
    throw new Error(`the key ${privateKeyFile} cannot be read (${why})`);
  }
  const why = keyComplaint(privateKey, false)?.why;
  if (why !== undefined) {
    throw new Error(
      `the key ${privateKeyFile} ${why}. Write another privateKeyFile, without a passphrase, of ${name} under kindows:hyperVHosts`,
    );
  }
  const route = { name, server: { host: address, port, user, hostKey } };
  return onMachine(route, { machine: { privateKey } }, seconds, work, "host");
}

async function sessionOn(
  client: Client,
  signal: AbortSignal,
  host: HyperVHostParameter,
): Promise<HyperVSession> {
  const own = `${host.folder}\\${host.lab}`;
  const files = hyperVScriptFiles();
  const folder = `${own}\\scripts-${filesHash(files)}`;
  const remote = await RemoteFiles.open(client);
  if (!(await remote.exists(sftpPath(`${folder}\\${completeFile}`)))) {
    await copyScripts(remote, sftpPath(folder), files);
  }
  return {
    host,
    run: async (script, inputs, input) => {
      const described = { name: script, parameters: hyperVScripts[script] };
      const values = scriptValues(script, { ...host, ...inputs });
      const command = scriptCommand(folder, described, values);
      const { exitCode, stdout, stderr } = await runOnWindows(client, command, signal, input);
      if (exitCode !== 0 && !/^\{.*\}\s*$/.test(stdout.trimEnd().split(/\r?\n/).at(-1) ?? "")) {
        throw new Error(
          `${script} ended with exit code ${exitCode}: ${stderr.trim().slice(-1000)}`,
        );
      }
      return parseStepResult(script, host.name, stdout);
    },
    removeScripts: () => remote.remove(sftpPath(own)),
  };
}

function sftpPath(path: string): string {
  return path.replaceAll("\\", "/");
}

async function copyScripts(
  remote: RemoteFiles,
  folder: string,
  files: ReadonlyMap<string, Buffer>,
): Promise<void> {
  const folders = [...files.keys()].flatMap((name) => {
    const names = `${folder}/${name}`.split("/");
    return names.map((_, length) => names.slice(0, length).join("/")).slice(2);
  });
  for (const each of new Set(folders)) {
    // The folder may exist already. Other errors appear when files are written to it.
    await remote.makeFolder(each).catch(() => undefined);
  }
  for (const [name, content] of [...files, [completeFile, Buffer.from("\n")] as const]) {
    const file = `${folder}/${name}`;
    await remote.write(file, content).catch(({ message }: Error) => {
      throw new Error(`${file} cannot be written: ${message}`);
    });
  }
}
