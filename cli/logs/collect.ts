import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { x as extract } from "tar";

import { scriptCommand, windowsOutput } from "../../components/windows/remote-command.ts";
import { parseStepResult } from "../../components/windows/step-result.ts";
import { exportNodeLog, logSeconds } from "../../components/windows/steps.ts";
import type { NodeMachine } from "../lab/lab-state.ts";
import { redactLog } from "../engine/redact.ts";

const tailKiB = 1024;

/**
 * Collects a machine's logs into a folder of its own, which only its owner may read.
 *
 * @param below parent of the new folder, e.g. `.kindows/dev/logs`.
 * @returns the new folder.
 * @throws if the machine cannot be reached, or sends no logs.
 */
export async function collectLogs(source: NodeMachine, below: string): Promise<string> {
  const command = scriptCommand(source.scripts, exportNodeLog, { TailKiB: tailKiB });
  const output = await windowsOutput(source, command, logSeconds);
  parseStepResult(exportNodeLog.name, source.node, output);
  const lines = output.trimEnd().split(/\r?\n/).slice(0, -1);
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  const folder = path.join(below, `${source.node}-${time}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Each line is complete base64.
  const archive = Buffer.concat(lines.map((line) => Buffer.from(line, "base64")));
  await pipeline([archive], extract({ cwd: folder, strict: true, filter: isPlain }));
  await redactAll(folder);
  return folder;
}

/** Only files directly in the folder, as the script packs them: a machine must not write elsewhere. */
function isPlain(name: string, entry: object): boolean {
  const isFile = !("type" in entry) || entry.type === "File" || entry.type === "Directory";
  return isFile && /^\.?\/?[^/]*\/?$/.test(name);
}

async function redactAll(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const text = redactLog(await readFile(file, "utf8"));
    await rm(file);
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
  }
}
