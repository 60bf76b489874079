import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";

import { scriptCommand, windowsOutput } from "../../host/ssh/windows-command.ts";
import { parseStepResult } from "../../components/node/step-result.ts";
import { exportNodeLog, logSeconds } from "../../components/windows/steps.ts";
import { hiding } from "../lab/known-secrets.ts";
import type { NodeMachine } from "../lab/lab-state.ts";
import { redact } from "../../components/redact.ts";

const tailKiB = 1024;

const MiB = 1024 * 1024;
/** More than any machine sends whose scripts are ours: at most 200 ends of logs, and the answers of some thirty queries. */
const most = { bytes: 256 * MiB, fileBytes: 16 * MiB, files: 500 };

/**
 * Collects a machine's logs into a folder of its own, which only its owner may read. Nothing is written that was not
 * redacted before.
 *
 * @param below parent of the new folder, e.g. `.kindows/dev/logs`.
 * @param secrets what must not be in the logs in any form.
 * @returns the new folder.
 * @throws if the machine cannot be reached, or sends no logs or too many.
 */
export async function collectLogs(
  source: NodeMachine,
  below: string,
  secrets: readonly string[],
): Promise<string> {
  const command = scriptCommand(source.scripts, exportNodeLog, { TailKiB: tailKiB });
  const output = await windowsOutput(source, command, logSeconds);
  parseStepResult(exportNodeLog.name, source.node, output);
  const lines = output.trimEnd().split(/\r?\n/).slice(0, -1);
  // Each line is complete base64.
  const files = await unpacked(Buffer.concat(lines.map((line) => Buffer.from(line, "base64"))));
  const hide = hiding(secrets);
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  const folder = path.join(below, `${source.node}-${time}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    for (const [name, content] of files) {
      const text = redact(hide(content.toString("utf8")));
      await writeFile(path.join(folder, name), text, { mode: 0o600, flag: "wx" });
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

/** The files of an archive. @throws if there are too many, or they are too large. */
export async function unpacked(archive: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const tar = await promisify(gunzip)(archive, { maxOutputLength: most.bytes }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === "ERR_BUFFER_TOO_LARGE" ? tooMuch() : error;
    },
  );
  const files = new Map<string, Buffer>();
  const reading: Promise<void>[] = [];
  const read = async (entry: ReadEntry): Promise<void> => {
    const content = await entry.concat();
    if (entry.type === "File") files.set(path.basename(entry.path), content);
  };
  const parser = new Parser({
    strict: true,
    filter: isPlain,
    onReadEntry: (entry) => void reading.push(read(entry)),
  });
  // What it rejects, it may throw as well.
  await Promise.all([once(parser, "end"), sent(parser, tar)]);
  await Promise.all(reading);
  const isTooMuch = files.size > most.files || [...files.values()].some(isTooLong);
  if (isTooMuch) throw tooMuch();
  return files;
}

async function sent(parser: Parser, tar: Buffer): Promise<void> {
  await Promise.resolve();
  parser.end(tar);
}

function isTooLong({ length }: Buffer): boolean {
  return length > most.fileBytes;
}

function tooMuch(): Error {
  const [all, one] = [most.bytes / MiB, most.fileBytes / MiB];
  return new Error(
    `it sends more than ${most.files} files, ${one} MiB in a file or ${all} MiB in all, so it does not run our scripts. ` +
      "Nothing was kept",
  );
}

/** Only files directly in the folder, as the script packs them: a machine must not write elsewhere. */
function isPlain(name: string, entry: object): boolean {
  const isFile = !("type" in entry) || entry.type === "File" || entry.type === "Directory";
  return isFile && /^\.?\/?[^/]*\/?$/.test(name);
}
