import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { create } from "tar";
import { filesBelow, filesHash } from "../node/folder-hash.ts";
import { keptFolder } from "../own-files.ts";
import type { StepFolder } from "./step-folders.ts";

/** How long an outdated folder is kept, because another run may be about to copy it. */
const keptHours = 24;

/**
 * Writes the files to copy to a machine: the folder `home`, and all steps in one archive. A folder that exists already
 * is not written again.
 *
 * @returns the folder with the content of `C:/kindows`, and the archive's name in its folder `steps`.
 */
export function stageHome(
  home: string,
  folders: Iterable<StepFolder>,
): { readonly folder: string; readonly archive: string } {
  const steps = new Map(
    [...folders].flatMap(({ name, files }) =>
      [...files].map(([file, content]) => [`${name}/${file}`, content] as const),
    ),
  );
  const archive = `${filesHash(steps)}.tar`;
  const name = filesHash(
    new Map([
      ...filesBelow(home).map((file) => [file, readFileSync(path.join(home, file))] as const),
      ...[...steps].map(([file, content]) => [`steps/${archive}/${file}`, content] as const),
    ]),
  );
  const stagedFolder = keptFolder("steps");
  const folder = path.posix.join(stagedFolder, name);
  if (!existsSync(folder)) {
    mkdirSync(stagedFolder, { recursive: true });
    write(folder, (target) => {
      cpSync(home, target, { recursive: true });
      pack(steps, path.join(target, "steps", archive));
    });
    removeOthers(stagedFolder, name);
  }
  return { folder, archive };
}

/** Packs files into a reproducible archive: the same files give the same bytes. */
function pack(files: ReadonlyMap<string, Buffer>, archive: string): void {
  const unpacked = `${archive}.files`;
  for (const [file, content] of files) {
    mkdirSync(path.join(unpacked, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(unpacked, file), content, { mode: 0o644 });
  }
  create({ file: archive, cwd: unpacked, portable: true, mtime: new Date(0), sync: true }, [
    ...[...files.keys()].sort(),
  ]);
  rmSync(unpacked, { recursive: true });
}

/** Creates the folder atomically, because two processes may write at the same time, and either may be killed. */
function write(target: string, fill: (folder: string) => void): void {
  const building = mkdtempSync(`${target}-`);
  try {
    fill(building);
    renameSync(building, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

function removeOthers(stagedFolder: string, name: string): void {
  for (const other of readdirSync(stagedFolder)) {
    const folder = path.join(stagedFolder, other);
    const found = statSync(folder, { throwIfNoEntry: false });
    if (other !== name && found && Date.now() - found.mtimeMs > keptHours * 3_600_000) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
