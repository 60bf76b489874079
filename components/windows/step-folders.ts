import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Script } from "./node-step.ts";
import { exportNodeLog, nodeScripts } from "./steps.ts";
import { filesHash } from "./steps-folder.ts";

/** Folders of the steps on a machine. */
export const remoteSteps = "C:\\kindows\\steps";

/** The folder of one step, with only the files that it needs. */
export interface StepFolder {
  /** Its name on the machine, below the folder of all steps. */
  readonly name: string;
  /** Files in it, by their path there, e.g. `lib/Step.ps1`. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/**
 * A folder for each step, with its script and the parts of the library that it uses, named by their hash: an edited script
 * gets a new path on the machine and so runs again, together only with those that share the edited part.
 *
 * @param source folder of the scripts and of their library `lib`.
 * @throws if a script that a step needs is missing.
 */
export function stepFolders(source: string): ReadonlyMap<string, StepFolder> {
  const library = new Map(
    readdirSync(path.join(source, "lib")).map((name) => [
      name,
      readFileSync(path.join(source, "lib", name)),
    ]),
  );
  return new Map(
    [...nodeScripts.keys()].map((step) => {
      const script = readFileSync(path.join(source, `${step}.ps1`));
      const files = new Map([
        [`${step}.ps1`, script],
        ...usedOf(library, script).map(([name, part]) => [`lib/${name}`, part] as const),
      ]);
      return [step, { name: folderName(step, files), files }];
    }),
  );
}

/**
 * Folder of a script on the machine, as Windows writes it: `C:\kindows\steps\Join-Node-0123456789ab`.
 *
 * @throws when it is none of these.
 */
export function remoteFolderOf(
  folders: ReadonlyMap<string, StepFolder>,
  { name }: Pick<Script, "name">,
): string {
  const folder = folders.get(name);
  if (folder === undefined) throw new Error(`${name}.ps1 is no script of a node`);
  return `${remoteSteps}\\${folder.name}`;
}

/** No resource runs Export-NodeLog, so an edited one runs nothing again, and keeps its folder. */
function folderName(step: string, files: ReadonlyMap<string, Buffer>): string {
  return step === exportNodeLog.name ? step : `${step}-${filesHash(files)}`;
}

/** The parts of the library that a script names, directly or through another part, sorted by name. */
function usedOf(library: ReadonlyMap<string, Buffer>, script: Buffer): [string, Buffer][] {
  const texts = [script];
  const used = new Map<string, Buffer>();
  for (const text of texts) {
    // Named anywhere, not only dot-sourced, as a scheduled task does that later.
    for (const [name] of text.toString("latin1").matchAll(/(?<![\w-])\w+\.ps1\b/g)) {
      const part = library.get(name);
      if (part !== undefined && !used.has(name)) {
        used.set(name, part);
        texts.push(part);
      }
    }
  }
  return [...used].sort(([a], [b]) => (a < b ? -1 : 1));
}
