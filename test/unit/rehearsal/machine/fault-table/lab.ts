// Hundreds of machines, each with hundreds of small files: by promises, each file costs several times as much.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { messageOf } from "../../../../../host/failure.ts";
import { homeSource, unpackCommand } from "../../../../../components/windows/steps-copy.ts";
import { stepFolders } from "../../../../../components/windows/step-folders.ts";
import { stageHome } from "../../../../../components/windows/stage-home.ts";
import { undoCommand } from "../../../../../host/ssh/windows-command.ts";
import { parseStepResult } from "../../../../../components/node/step-result.ts";
import {
  remoteSteps as stepsHome,
  stepsSource,
} from "../../../../../components/node/steps-folder.ts";
import { reset } from "../../../../../components/windows/steps.ts";
import { runRemotely } from "../../../../../offline/plugins/command/run-remotely.ts";
import type { Operation } from "../../../../../offline/plugins/protocol/operation.ts";
import type { RehearsedMachine } from "../../../../rehearsed-machine/in-process.ts";
import { dial } from "../../../../../host/ssh/dial.ts";
import { uploadSource } from "../../../../../host/ssh/upload.ts";
import { listing } from "../machine-listing.ts";
import { loginOf, stepCommand } from "../ssh-client.ts";
import { goodArguments, joinInput, type StepName, withHost } from "../step-runner.ts";
import { type Copy, hostName, isCopy, resourceOf, type Row, rows, unpacking } from "./rows.ts";

/** Records of the boot in which the pod network was made; after the next boot Calico makes its own. */
const ofABoot = [
  "/kindows/state/external-network.json",
  "HKLM\\SOFTWARE\\Tigera\\Calico\\LastBootTime",
];

/** Differences of a machine's `listing` from another one. */
export function differences(
  wanted: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): string[] {
  return [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    .filter((key) => !ofABoot.includes(key))
    .filter((key) => timeless(wanted[key]) !== timeless(found[key]))
    .map((key) => `${key} is ${shown(found[key])}, without the fault ${shown(wanted[key])}`);
}

/** Boot times and identifiers, which differ between machines. */
function timeless(value: string | undefined): string | undefined {
  return value
    ?.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/\{[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}\}/g, "<id>");
}

function shown(value: string | undefined): string {
  return value === undefined ? "not there" : `'${value.slice(0, 200)}'`;
}

/** Limit in seconds; whatever takes longer counts as hanging. */
const limitSeconds = 300;

const targets: Readonly<Record<Copy, string>> = {
  "copy of the scripts": "C:/kindows",
  "push of the media": "C:/kindows/media",
};

/** Files that `up` copies to a machine, as the program stages them. */
const folders = stepFolders(stepsSource);
const home = stageHome(homeSource, folders.values());

/** A machine before a row, as a folder with its drive, and its content after the row without a fault. */
export interface Snapshot {
  readonly before: string;
  readonly after: Record<string, string>;
}

let snapshots: Promise<ReadonlyMap<Row, Snapshot>> | undefined;
const snapshotsFolder = join(tmpdir(), "snapshots");

/** The same for all rows, made once: a machine becomes a node and is reset, step by step, without any fault. */
export function snapshotsOfRows(): Promise<ReadonlyMap<Row, Snapshot>> {
  snapshots ??= makeSnapshots();
  return snapshots;
}

async function makeSnapshots(): Promise<ReadonlyMap<Row, Snapshot>> {
  const made = new Map<Row, Snapshot>();
  await withLab(undefined, async (lab) => {
    const clean = await listing(lab.machine);
    for (const row of rows) {
      const before = join(snapshotsFolder, row);
      cpSync(lab.machine.driveC, before, { recursive: true });
      const error = await lab.run(row);
      if (error !== undefined) throw new Error(error);
      await lab.settled();
      made.set(row, { before, after: await listing(lab.machine) });
    }
    const left = differences(clean, await listing(lab.machine));
    if (left.length > 0) throw new Error(`Reset-Node leaves ${left.join(", ")}`);
  });
  return made;
}

/** A machine, and its data in a state file; `media` has the files to push to it. */
export class Lab {
  constructor(
    readonly machine: RehearsedMachine,
    private readonly media: string,
  ) {}

  /** Size of a copy in bytes; 0 for a command. */
  bytes(row: Row): number {
    if (!isCopy(row)) return 0;
    return filesBelow(this.#source(row)).reduce((sum, file) => sum + statSync(file).size, 0);
  }

  /** Runs a row. @returns its error, with the resource's name in front, as in the engine */
  async run(row: Row): Promise<string | undefined> {
    try {
      await this.#run(row);
      return undefined;
    } catch (error) {
      return `${resourceOf(row)}: ${messageOf(error)}`;
    }
  }

  /** Resolves when nothing is running on the machine. */
  async settled(): Promise<void> {
    await this.machine.up();
    await this.machine.windows.tasksEnded();
    await this.machine.up();
  }

  /** Differences from a machine after the row without a fault. */
  async problems(row: Row): Promise<string[]> {
    const { after } = (await snapshotsOfRows()).get(row) as Snapshot;
    const isNode = rows.indexOf(row) >= rows.indexOf("Join-Node") && row !== "Reset-Node";
    const names = [...new Set(this.machine.cluster.registered)];
    const offset = Math.abs(this.machine.programs.clockOffsetMilliseconds);
    const wrongClock = row === "Join-Node" && offset >= 60_000;
    return [
      ...(!isNode || isDeepStrictEqual(names, [hostName]) ? [] : [`nodes: ${names.join(", ")}`]),
      ...(wrongClock ? [`the clock is off by ${offset / 1000} s`] : []),
      ...(rows.indexOf(row) < rows.indexOf(unpacking) ? [] : this.#scriptProblems()),
      ...(isCopy(row) ? this.#copyProblems(row) : []),
      ...differences(after, await listing(this.machine)),
    ];
  }

  /** Differences in the steps' own folders, which `listing` leaves out. */
  #scriptProblems(): string[] {
    return [...folders.values()].flatMap(({ name, files }) =>
      [...files].flatMap(([file, content]) => {
        const found = join(this.machine.driveC, ...stepsHome.split("\\").slice(1), name, file);
        return hasContent(found, content) ? [] : [`${name}/${file} is not what was sent`];
      }),
    );
  }

  /** Pushed files that are missing or differ. */
  #copyProblems(row: Copy): string[] {
    const source = this.#source(row);
    return filesBelow(source).flatMap((file) => {
      const copy = join(this.machine.driveC, targets[row].slice(2), relative(source, file));
      return hasContent(copy, readFileSync(file)) ? [] : [`${copy} is not what was sent`];
    });
  }

  async #run(row: Row): Promise<void> {
    if (isCopy(row)) {
      await this.#upload(`${this.#source(row)}/`, targets[row]);
      return;
    }
    const script = row === unpacking ? unpackCommand(home.archive) : this.#stepCommand(row);
    const hasInput = row === "Join-Node" || row === "Set-TrustedCertificate";
    const inputs = { connection: this.#connection(), stdin: hasInput ? joinInput : "" };
    const redact = (text: string): string => text;
    const run = { script, inputs, previous: { stdout: "", stderr: "" }, redact };
    const { stdout } = await runRemotely(run, operation(row));
    if (row !== unpacking) parseStepResult(row, hostName, stdout);
  }

  #stepCommand(step: StepName): string {
    const folder = `${stepsHome}\\${folders.get(step)?.name ?? ""}`;
    if (step === "Reset-Node") return undoCommand(folder, reset);
    return stepCommand(step, goodArguments(this.machine)[step] ?? [], folder);
  }

  async #upload(source: string, target: string): Promise<void> {
    const ssh = await dial(this.#connection(), operation(target));
    try {
      await uploadSource(ssh.client, { path: source }, target, operation(target).signal);
    } finally {
      ssh.close();
    }
  }

  #source(row: Row): string {
    return row === "push of the media" ? this.media : home.folder;
  }

  /** The connection, as in a resource. */
  #connection() {
    return { ...loginOf(this.machine), dialErrorLimit: -1, perDialTimeout: limitSeconds };
  }
}

/** An operation like the engine's, with its own limit. */
function operation(name: string): Operation {
  return {
    name,
    signal: AbortSignal.timeout(limitSeconds * 1000),
    timeoutSeconds: limitSeconds,
    log: () => undefined,
    progress: () => undefined,
  };
}

/** Runs `work` with a temporary machine, which has this drive, or else a new one. */
export async function withLab<T>(
  drive: string | undefined,
  work: (lab: Lab) => Promise<T>,
): Promise<T> {
  const media = mkdtempSync(join(tmpdir(), "kindows-faults-"));
  try {
    return await withHost({ drive }, async (machine) => {
      const theirs = join(machine.driveC, "kindows/media");
      cpSync(theirs, media, { recursive: true });
      if (drive === undefined || !existsSync(join(drive, "kindows/media"))) {
        rmSync(theirs, { recursive: true });
      }
      await machine.windows.drive.makeFolder("C:\\kindows");
      return work(new Lab(machine, media));
    });
  } finally {
    rmSync(media, { recursive: true });
  }
}

function hasContent(file: string, content: Buffer): boolean {
  return existsSync(file) && readFileSync(file).equals(content);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
