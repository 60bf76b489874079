import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import type { Client } from "ssh2";
import type { Bake } from "../../images/windows/bake.ts";
import { scriptCommand } from "../../host/ssh/windows-command.ts";
import { runOverSsh, type SshSource } from "../../host/ssh/run-over-ssh.ts";
import { parseStepResult } from "../../components/node/step-result.ts";
import { homeSource } from "../../components/windows/steps-copy.ts";
import { folderHash } from "../../components/node/folder-hash.ts";
import { stepsSource } from "../../components/node/steps-folder.ts";
import { onServer } from "../../host/ssh/dial.ts";
import { uploadSource } from "../../host/ssh/upload.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import { projectRoot } from "../../toolchain/project.ts";

/** Time limit for the machine to answer. Emulated, and in parallel to other builds, it needs about 20 s. */
const bootSeconds = 300;
/** Time limit for a step. Emulated, and without other builds, the slowest takes about 20 s. */
const stepSeconds = 600;

/** Runs the steps of a bake on a machine as `up` runs them on a node. @throws the error of a step that fails. */
export async function runBake(
  bake: Pick<Bake, "steps">,
  source: SshSource,
  progress: Progress,
): Promise<void> {
  const steps = join(projectRoot, stepsSource);
  const folder = `C:/kindows/steps/${folderHash(steps)}`;
  progress("waits for the machine");
  await copy(source, join(projectRoot, homeSource), "C:/kindows");
  await copy(source, `${steps}/`, folder);
  const drive = await mkdtemp(join(tmpdir(), "kindows-bake-"));
  try {
    const program = ["--import", "tsx", "rehearsal/bake/keep-scripts.ts", steps, drive];
    await execa(process.execPath, program, { cwd: projectRoot, timeout: stepSeconds * 1000 });
    await copy(source, `${drive}/`, "C:/");
  } finally {
    await rm(drive, { recursive: true });
  }
  for (const { step, parameters, input } of bake.steps) {
    progress(`baking: ${step.name}`);
    const output = await runOverSsh(
      source,
      scriptCommand(folder.replaceAll("/", "\\"), step, parameters),
      stepSeconds,
      { input },
    );
    const { rebootRequired, facts } = parseStepResult(step.name, "the image's machine", output);
    if (typeof facts.warning === "string" && facts.warning !== "") {
      progress(`warning: ${facts.warning}`);
    }
    // The step has closed the SSH port, so the next connection is made after the reboot.
    if (rebootRequired) await connected(source, () => Promise.resolve());
  }
}

async function copy(source: SshSource, path: string, remotePath: string): Promise<void> {
  await connected(source, (client, signal) => uploadSource(client, { path }, remotePath, signal));
}

function connected(
  source: SshSource,
  work: (client: Client, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const patient = { ...source, dialErrorLimit: -1, perDialTimeout: 3 };
  return onServer(patient, bootSeconds, () => undefined, work);
}
