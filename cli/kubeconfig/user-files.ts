import type { Document } from "yaml";

import { messageOf } from "../../host/failure.ts";
import { readConfig, writeConfig } from "./config-document.ts";
import { editConfigFile, fileForNew, readConfigFile } from "./config-file.ts";
import { holdsLab, mergeLab, removeLab } from "./lab-entries.ts";
import type { MergeOptions, Origin } from "./lab-entries.ts";

/** What became of a merge. */
export interface Merged {
  readonly file: string;
  /** False when everything was there already. */
  readonly written: boolean;
  /** Entries of another origin that are gone by it, e.g. `context kindows-a`. */
  readonly overwritten: readonly string[];
}

/**
 * Puts a lab into one of the user's kubeconfigs: the one that has it already, else where kubectl would put it.
 *
 * @param files the user's, at least one.
 * @param labKubeconfig the lab's own, as YAML.
 * @throws Failure when the file is damaged, may not be written, or has entries of another origin; it stays as it is.
 */
export async function mergeIntoFiles(
  files: readonly string[],
  labKubeconfig: string,
  options: MergeOptions,
): Promise<Merged> {
  const file = (await fileWithLab(files, options.origin)) ?? (await fileForNew(files));
  let overwritten: readonly string[] = [];
  const written = await editConfigFile(file, (text) =>
    changed(text, file, (document) => {
      overwritten = mergeLab(document, labKubeconfig, options, file);
    }),
  );
  return { file, written, overwritten };
}

/**
 * Takes what a stack has put into the user's kubeconfigs out of them.
 *
 * @returns what went from where, e.g. `context kindows-a from ~/.kube/config`.
 * @throws Failure when a file is damaged or may not be written.
 */
export async function removeFromFiles(
  files: readonly string[],
  origin: Origin,
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const file of files) {
    const text = await readConfigFile(file);
    // Where nothing is to be taken out, nothing is made either: no lock, no folder.
    if (text === "" || removeLab(readConfig(text, file), origin).length === 0) {
      continue;
    }
    await editConfigFile(file, (now) =>
      changed(now, file, (document) => {
        gone.push(...removeLab(document, origin).map((each) => `${each} from ${file}`));
      }),
    );
  }
  return gone;
}

/**
 * Brings what `mergeIntoFiles` has put there up to date, if it has: a cluster that was made anew has other keys. Never
 * fails: what `up` has made is there, whatever that file is like.
 *
 * @param labKubeconfig asked for only where it is needed.
 * @param say gets a line for each file that was changed or could not be.
 */
export async function refreshInFiles(
  files: readonly string[],
  origin: Origin,
  labKubeconfig: () => Promise<string>,
  say: (line: string) => void,
): Promise<void> {
  try {
    const file = await fileWithLab(files, origin);
    if (file === undefined) {
      return;
    }
    const options = { origin, use: false, force: false };
    if ((await mergeIntoFiles([file], await labKubeconfig(), options)).written) {
      say(`brought the context of ${origin.stack} in ${file} up to date`);
    }
  } catch (error) {
    say(`the context in your kubeconfig was not brought up to date: ${messageOf(error)}`);
  }
}

async function fileWithLab(files: readonly string[], origin: Origin): Promise<string | undefined> {
  for (const file of files) {
    if (holdsLab(readConfig(await readConfigFile(file), file), origin)) {
      return file;
    }
  }
  return undefined;
}

/** The text after a change; the same text where nothing but its style would change. */
function changed(text: string, file: string, change: (document: Document) => void): string {
  const document = readConfig(text, file);
  const before = JSON.stringify(document.toJSON());
  change(document);
  return JSON.stringify(document.toJSON()) === before ? text : writeConfig(document, text);
}
