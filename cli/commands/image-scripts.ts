import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { sealedAnswerFileText } from "../../components/windows/image/answer-file.ts";
import { sealedAnswerFile } from "../../components/windows/image/config-disc-paths.ts";
import { imageScripts } from "../../components/windows/image/scripts-folder.ts";
import { language as languageComplaint } from "../../config/sections/windows-image.ts";
import { exitCodes, Failure } from "../../host/failure.ts";
import { say } from "../progress.ts";

export interface ImageScriptsOptions {
  /** Where they are written: a new or empty folder. */
  readonly folder: string;
  /** Of the Windows that is sealed, e.g. `en-US`. */
  readonly language: string;
}

/**
 * `kindows image scripts`: writes the scripts that seal a Windows Server of the user's, so that machines can be made
 * from its disk.
 *
 * @throws Failure for an invalid language, or a folder that is not empty.
 */
export async function writeScripts({ folder, language }: ImageScriptsOptions): Promise<number> {
  const complaint = languageComplaint(language);
  if (complaint !== undefined) {
    throw new Failure(`--language: "${language}" ${complaint.why}. ${complaint.instead}`);
  }
  const into = path.resolve(folder);
  await mkdir(into, { recursive: true });
  if ((await readdir(into)).length > 0) {
    throw new Failure(`${into} is not empty: name a folder that does not exist yet`);
  }
  const scripts = imageScripts();
  for (const target of new Set([...scripts.keys()].map((name) => path.dirname(name)))) {
    await mkdir(path.join(into, target), { recursive: true });
  }
  await Promise.all(
    [...scripts].map(([target, source]) => copyFile(source, path.join(into, target))),
  );
  await writeFile(path.join(into, sealedAnswerFile), sealedAnswerFileText(language, undefined));
  say(
    `Copy ${into} to C:\\seal on the machine, and run there as Administrator:\n` +
      `powershell.exe -ExecutionPolicy Bypass -File C:\\seal\\Complete-Image.ps1 ` +
      `-SealedAnswerFile C:\\seal\\${sealedAnswerFile}\n` +
      "It shuts down some minutes later; its disk is the image. What it must have before: docs/windows-image.md",
  );
  return exitCodes.ok;
}
