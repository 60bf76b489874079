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
import { keptFolder } from "../own-files.ts";
import type { StepFolder } from "./step-folders.ts";
import { filesBelow, filesHash } from "./steps-folder.ts";

/** Where they are written. */
const stagedFolder = keptFolder("steps");

/** An outdated folder is kept this long, as another run may be about to copy it. */
const keptHours = 24;

/** Content of `C:/kindows`, on this host. */
export interface StagedHome {
  /** The folder; named by its content. */
  readonly folder: string;
  /** Name of the archive of all steps in its folder `steps`. */
  readonly archive: string;
}

/**
 * Writes the files to copy to a machine: the folder `home`, and all steps in one archive, since each copied file costs a few
 * round trips. Existing files stay as they are.
 */
export function stageHome(home: string, folders: Iterable<StepFolder>): StagedHome {
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
  const folder = path.posix.join(stagedFolder, name);
  if (!existsSync(folder)) {
    mkdirSync(stagedFolder, { recursive: true });
    write(folder, (target) => {
      cpSync(home, target, { recursive: true });
      pack(steps, path.join(target, "steps", archive));
    });
    removeOthers(name);
  }
  return { folder, archive };
}

/** Reproducible: the same bytes for the same files. */
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

/** Two programs may write at once, and either may be killed, so the folder is created atomically. */
function write(target: string, fill: (folder: string) => void): void {
  const building = mkdtempSync(`${target}-`);
  try {
    fill(building);
    renameSync(building, target);
  } catch (error) {
    if (!existsSync(target)) {
      throw error;
    }
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

function removeOthers(name: string): void {
  for (const other of readdirSync(stagedFolder)) {
    const folder = path.join(stagedFolder, other);
    const found = statSync(folder, { throwIfNoEntry: false });
    if (other !== name && found && Date.now() - found.mtimeMs > keptHours * 3_600_000) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
