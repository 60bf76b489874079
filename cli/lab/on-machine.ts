import { parseStepResult, type StepResult } from "../../components/node/step-result.ts";
import type { Script } from "../../components/windows/node-step.ts";
import {
  type Arguments,
  type Parameters,
  scriptCommand,
  windowsOutput,
} from "../../host/ssh/windows-command.ts";
import { remoteSteps } from "../../components/node/steps-folder.ts";
import { RemoteFiles } from "../../host/ssh/remote-files.ts";
import { CommandFailed, overSsh, type SshSource } from "../../host/ssh/run-over-ssh.ts";
import { say } from "../progress.ts";

/** Time limits of a copy over a slow line, and of a script on an emulated processor, in seconds. */
const [copySeconds, scriptSeconds] = [3600, 2400];

/** How often a copy says how far it is, in seconds. */
const copyReportSeconds = 10;

/**
 * Copies a file to a node's machine.
 *
 * @param name the node.
 * @param to path there, in SFTP's notation.
 * @param shown what is said to be copied.
 */
export async function copyToMachine(
  name: string,
  source: SshSource,
  from: string,
  to: string,
  shown = from,
): Promise<void> {
  say(`${name}: copying ${shown}`);
  let reported = Date.now();
  await overSsh(source, copySeconds, async (client) => {
    const files = await RemoteFiles.open(client);
    try {
      await files.put(from, to, (bytes, all) => {
        if (Date.now() - reported < copyReportSeconds * 1000) return;
        reported = Date.now();
        say(`${name}: ${mebibytes(bytes)} of ${mebibytes(all)} MiB are copied`);
      });
    } finally {
      files.close();
    }
  });
}

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

/** Runs a script that no resource runs on a node's Windows machine. @throws RunError with what the script says. */
export async function runOnWindowsNode<P extends Parameters>(
  name: string,
  source: SshSource,
  script: Script<P>,
  values: Arguments<P>,
): Promise<StepResult> {
  const command = scriptCommand(`${remoteSteps}\\${script.name}`, script, values);
  // A step that fails says why in its last line, too.
  const output = await windowsOutput(source, command, scriptSeconds).catch((error: unknown) => {
    if (error instanceof CommandFailed) return error.output;
    throw error;
  });
  return parseStepResult(script.name, name, output);
}
