import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import { ownFolder, keptFolder } from "../own-files.ts";
import type { Script } from "./node-step.ts";
import { powerShellCommand } from "./remote-command.ts";
import { commandOn, onMachine, type StepContext } from "./run-steps.ts";
import { exportNodeLog, nodeScripts } from "./steps.ts";
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
import { filesBelow, filesHash, remoteSteps } from "./steps-folder.ts";

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

/** Export-NodeLog has no hash in its folder's name: no resource runs it, so an edit must not rerun anything. */
function folderName(step: string, files: ReadonlyMap<string, Buffer>): string {
  return step === exportNodeLog.name ? step : `${step}-${filesHash(files)}`;
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

export const homeSource = ownFolder("windows/home/");

/** tar.exe's own errors have no remedy. */
const unpackRemedy =
  "The scripts could not be unpacked. Make room on drive C: where it is full, then run again.";

/**
 * Command for cmd.exe that unpacks the archive of the steps into its folder, overwriting existing files, and flushes
 * them to the disk. Otherwise a power cut could leave empty scripts, which no later run would unpack again.
 */
export function unpackCommand(archive: string): string {
  const unpack = `tar.exe -xf ${remoteSteps}\\${archive} -C ${remoteSteps}`;
  // A failed flush is ignored: it only matters after a power cut.
  const flush = powerShellCommand("try { Write-VolumeCache -DriveLetter C } catch { }; exit 0");
  return `${unpack} && ${flush} || (echo ${unpackRemedy}>&2& exit 1)`;
}

export interface StepsCopy {
  readonly resource: pulumi.Resource;
  readonly folderOf: (script: Pick<Script, "name">) => string;
}

/**
 * Copies the step scripts to a machine that may still be booting.
 *
 * The scripts are in one archive, because copying two hundred small files over SSH takes longer than the steps
 * themselves. Windows has had `tar.exe` since 2018
 * (https://learn.microsoft.com/virtualization/community/team-blog/2017/20171219-tar-and-curl-come-to-windows). Existing
 * scripts are not removed, because a step of an earlier version is undone by that version's script.
 */
export function copySteps(
  context: StepContext,
  folders: ReadonlyMap<string, StepFolder>,
  bootSeconds: number,
): StepsCopy {
  const { folder, archive } = stageHome(homeSource, folders.values());
  const { name, machine } = context;
  const home = new remote.CopyToRemote(
    `${name}-home`,
    {
      connection: machine.connection,
      // With a slash at the end, the folder's content is copied, not the folder itself.
      source: new pulumi.asset.FileArchive(`${folder}/`),
      remotePath: "C:/kindows",
      triggers: [machine.instanceId],
    },
    { ...onMachine(context, bootSeconds), dependsOn: [machine.resource] },
  );
  const steps = new remote.Command(
    `${name}-steps`,
    {
      connection: machine.connection,
      create: commandOn(machine, {}, () => unpackCommand(archive)),
      triggers: [machine.instanceId],
      addPreviousOutputInEnv: false,
    },
    { ...onMachine(context, 300), dependsOn: [home] },
  );
  return { resource: steps, folderOf: (script) => remoteFolderOf(folders, script) };
}

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
