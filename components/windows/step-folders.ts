import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { filesHash } from "../node/folder-hash.ts";
import type { Script } from "./node-step.ts";
import { nodeScripts, scriptsOfCommands } from "./steps.ts";
import { remoteSteps } from "../node/steps-folder.ts";

/** The folder of one step, with only the files that it needs. */
export interface StepFolder {
  /** Its name on the machine, below the folder of all steps. */
  readonly name: string;
  /** Files in it, by their path there, e.g. `lib/Step.ps1`. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/**
 * Makes a folder for each step, with its script and the parts of the library that it uses. The folder's name contains
 * their hash, so an edited file changes the paths, and thereby reruns, of only the steps that use it.
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
 * @throws if no step has that name.
 */
export function remoteFolderOf(
  folders: ReadonlyMap<string, StepFolder>,
  { name }: Pick<Script, "name">,
): string {
  const folder = folders.get(name);
  if (folder === undefined) throw new Error(`${name}.ps1 is not a script for nodes`);
  return `${remoteSteps}\\${folder.name}`;
}

/** A script that no resource runs has no hash in its folder's name: commands find it there. */
function folderName(step: string, files: ReadonlyMap<string, Buffer>): string {
  return scriptsOfCommands.some(({ name }) => name === step) ? step : `${step}-${filesHash(files)}`;
}

/** The parts of the library that a script names, directly or through another part, sorted by name. */
function usedOf(library: ReadonlyMap<string, Buffer>, script: Buffer): [string, Buffer][] {
  const texts = [script];
  const used = new Map<string, Buffer>();
  for (const text of texts) {
    // Not only dot-sourced names: some are read as data, or in a command that a scheduled task runs later.
    for (const [name] of text.toString("latin1").matchAll(/(?<![\w-])\w+\.(?:ps1|json)\b/g)) {
      const part = library.get(name);
      if (part !== undefined && !used.has(name)) {
        used.set(name, part);
        texts.push(part);
      }
    }
  }
  return [...used].sort(([a], [b]) => (a < b ? -1 : 1));
}
