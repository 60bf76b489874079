import { readFileSync } from "node:fs";
import type { Client } from "ssh2";
import { messageOf } from "../../../host/failure.ts";
import { parseStepResult, type StepResult } from "../../windows/step-result.ts";
import { onServer, retryPolicy } from "../../../ssh/dial.ts";
import { RemoteFiles } from "../../../ssh/remote-files.ts";
import { runOn } from "../../../ssh/run-over-ssh.ts";
import { say } from "../../host-action/run-action.ts";
import { explainHyperVAccess } from "./explain-access.ts";
import { type HyperVHostParameter, hyperVHostText } from "./parameters.ts";
import { hyperVCommand, hyperVScriptFiles, type ScriptCall } from "./scripts.ts";

/** Written last into a folder of scripts: one without it was cut short. */
const completeFile = "complete";

/** An open connection to a Hyper-V host, with the scripts there. */
export interface HyperVSession {
  readonly host: HyperVHostParameter;
  /**
   * Runs a script to its end.
   *
   * @param input what it gets on its standard input; may be secret.
   * @throws with the script's own message and remedy where it fails.
   */
  run(call: ScriptCall, input?: string): Promise<StepResult>;
  /** Removes the folder with the scripts. */
  removeScripts(): Promise<void>;
}

/**
 * Runs something on a Hyper-V host, whose host key must be the pinned one.
 *
 * @param seconds that all of it may take.
 * @throws naming the host, and what to do, where it cannot be reached.
 */
export async function onHyperVHost<T>(
  host: HyperVHostParameter,
  seconds: number,
  work: (session: HyperVSession) => Promise<T>,
): Promise<T> {
  const { address, port, user, hostKey } = host;
  try {
    return await onServer(
      { host: address, port, user, hostKey, privateKey: keyOf(host), ...retryPolicy },
      seconds,
      say,
      async (client, signal) => work(await sessionOn(client, signal, host)),
    );
  } catch (error) {
    throw new Error(`${hyperVHostText(host)}: ${explainHyperVAccess(messageOf(error), host)}`);
  }
}

function keyOf({ privateKeyFile }: HyperVHostParameter): string {
  try {
    return readFileSync(privateKeyFile, "utf8");
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? "no file";
    throw new Error(`the key ${privateKeyFile} cannot be read (${why})`);
  }
}

async function sessionOn(
  client: Client,
  signal: AbortSignal,
  host: HyperVHostParameter,
): Promise<HyperVSession> {
  const own = `${host.folder}\\${host.lab}`;
  const { hash, files } = hyperVScriptFiles();
  const folder = `${own}\\scripts-${hash}`;
  const remote = await RemoteFiles.open(client);
  const isThere = await remote.exists(sftpPath(`${folder}\\${completeFile}`));
  if (!isThere) {
    await copyScripts(remote, sftpPath(folder), files);
  }
  return {
    host,
    run: async (call, input) => {
      const { exitCode, stdout, stderr } = await runOn(
        client,
        hyperVCommand(call, folder),
        signal,
        input,
      );
      if (exitCode !== 0 && !/^\{.*\}\s*$/.test(stdout.trimEnd().split(/\r?\n/).at(-1) ?? "")) {
        throw new Error(
          `${call.script} ended with exit code ${exitCode}: ${stderr.trim().slice(-1000)}`,
        );
      }
      return parseStepResult(call.script, host.name, stdout);
    },
    removeScripts: () => remote.remove(sftpPath(own)),
  };
}

/** A path as SFTP writes it. */
function sftpPath(path: string): string {
  return path.replaceAll("\\", "/");
}

async function copyScripts(
  remote: RemoteFiles,
  folder: string,
  files: ReadonlyMap<string, Buffer>,
): Promise<void> {
  const made = new Set<string>();
  for (const [name, content] of [...files, [completeFile, Buffer.from("\n")] as const]) {
    const file = `${folder}/${name}`;
    await makeFolders(remote, file.slice(0, file.lastIndexOf("/")), made);
    await remote.write(file, content).catch(({ message }: Error) => {
      throw new Error(`${file} cannot be written: ${message}`);
    });
  }
}

/** Makes a folder and those it lies in. One that is there is no error; that of a drive always is. */
async function makeFolders(remote: RemoteFiles, folder: string, made: Set<string>): Promise<void> {
  const names = folder.split("/");
  for (let length = 2; length <= names.length; length++) {
    const path = names.slice(0, length).join("/");
    if (made.has(path)) continue;
    made.add(path);
    // What is wrong, beyond that it is there, the file in it tells.
    await remote.makeFolder(path).catch(() => undefined);
  }
}
