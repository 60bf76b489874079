import { isDeepStrictEqual } from "node:util";
import { cp, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extract } from "tar";
import { resetCommand } from "../../../../components/windows/reset-command.ts";
import { stageHome } from "../../../../components/windows/staged-home.ts";
import { stepFolders } from "../../../../components/windows/step-folders.ts";
import { parseStepResult } from "../../../../components/windows/step-result.ts";
import { homeSource, unpackCommand } from "../../../../components/windows/steps-copy.ts";
import { remoteSteps as stepsHome } from "../../../../components/windows/remote-steps.ts";
import { stepsSource } from "../../../../components/windows/steps-folder.ts";
import { dial } from "../../../../plugins/command/dial.ts";
import { runRemotely } from "../../../../plugins/command/run-remotely.ts";
import { uploadSource } from "../../../../plugins/command/upload.ts";
import type { Operation } from "../../../../plugins/protocol/operation.ts";
import { type RehearsalHost, startRehearsalHost } from "../../../../rehearsal/host/in-process.ts";
import type { StepName } from "../../../../rehearsal/host/step-names.ts";
import { listing } from "../machine-listing.ts";
import { adminKey } from "../ssh-client.ts";
import { goodArguments, joinInput } from "../step-runner.ts";
import { differences } from "./differences.ts";
import { FaultyCluster } from "./faulty-cluster.ts";
import {
  hostName,
  isApart,
  isBeforeJoin,
  isCopy,
  resourceOf,
  type Row,
  rows,
  unpacking,
} from "./rows.ts";

/** Factor on every wait of the machine: 240 s are 2.4 s. */
export const patience = 0.01;
/** Seconds in which anything must have ended: what takes longer counts as hanging. */
const limitSeconds = 300;

/** What `up` brings to a machine, as the program stages it. */
const folders = stepFolders(stepsSource);
const home = stageHome(homeSource, folders.values());

/** A machine, the cluster it joins, and what a state file would say of both. */
export class Lab {
  readonly host: RehearsalHost;
  readonly cluster: FaultyCluster;
  /** Where the machine is dialled. Default: where it listens. */
  port: number;
  readonly #work: string;
  readonly #done = new Set<Row>();
  #isUnpacked = false;
  #clean: Record<string, string> = {};

  private constructor(host: RehearsalHost, cluster: FaultyCluster, work: string) {
    this.host = host;
    this.cluster = cluster;
    this.port = host.port;
    this.#work = work;
  }

  /** A machine that nothing was done to, and the programs that are to be pushed to it, in `work`. */
  static async start(work: string): Promise<Lab> {
    const cluster = new FaultyCluster(patience);
    const authorizedKeys = [adminKey.public];
    const host = await startRehearsalHost({ hostName, authorizedKeys, cluster, patience });
    await cp(join(host.driveC, "kindows/media"), join(work, "media"), { recursive: true });
    await rm(join(host.driveC, "kindows/media"), { recursive: true });
    const lab = new Lab(host, cluster, work);
    await host.windows.drive.makeFolder("C:\\kindows");
    lab.#clean = await listing(host);
    return lab;
  }

  /** Bytes that a copy brings; what is run brings none. */
  async bytes(row: Row): Promise<number> {
    if (!isCopy(row)) return 0;
    const files = await filesBelow(this.#source(row));
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Makes what comes before a row, without the detours of SSH where something is only to be there. */
  async prepare(row: Row): Promise<void> {
    const { driveC } = this.host;
    for (const each of rows.slice(0, rows.indexOf(row))) {
      if (each !== unpacking && !isCopy(each)) break;
      if (each === unpacking) {
        const steps = join(driveC, "kindows/steps");
        const file = join(steps, home.archive);
        await extract({ file, cwd: steps, strict: true });
      } else {
        const to = each === "push of the media" ? "kindows/media" : "kindows";
        await cp(this.#source(each), join(driveC, to), { recursive: true });
      }
      this.#done.add(each);
    }
    if (isApart(row)) {
      const error = await this.up("Join-Node");
      if (error !== undefined) throw new Error(`the machine did not become a node: ${error}`);
    }
  }

  /**
   * What an `up` does that is not done yet, or what is run apart from it; what went wrong, named as the engine does by
   * its resource.
   */
  async up(row: Row, before: (each: Row) => Promise<void> = nothing): Promise<string | undefined> {
    const all = isApart(row) ? [row] : rows.filter((each) => !isApart(each));
    for (const each of all.filter((name) => !this.#done.has(name))) {
      await before(each);
      const error = await this.run(each);
      if (error !== undefined) return error;
      // "While the step runs": what was broken for its sake is there again for the next.
      if (each === row) this.cluster.mend();
    }
    return undefined;
  }

  /** One of the rows; what went wrong. */
  async run(row: Row): Promise<string | undefined> {
    try {
      await this.#run(row);
      this.#done.add(row);
      this.#isUnpacked ||= row === unpacking;
      return undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return `${resourceOf(row)}: ${message}`;
    }
  }

  /** What is not as on a machine that nothing happened to, after what ends with `row`. */
  async problems(row: Row): Promise<string[]> {
    const after = await listing(this.host);
    if (row === "Reset-Node") return differences(this.#clean, after);
    const names = [...new Set(this.cluster.registered)];
    const offset = Math.abs(this.host.programs.clockOffsetMilliseconds);
    return [
      ...(isDeepStrictEqual(names, [hostName]) ? [] : [`nodes registered as ${names.join(", ")}`]),
      ...(this.cluster.nodes.length === 1 ? [] : [`${this.cluster.nodes.length} nodes`]),
      ...(offset < 60_000 || !isBeforeJoin(row) ? [] : [`the clock is off by ${offset / 1000} s`]),
      ...(this.#isUnpacked ? await this.#scriptProblems() : []),
      ...differences(await unharmed(), after),
    ];
  }

  /** The steps' own places are looked at here: the model runs a script that is damaged behind its parameters. */
  async #scriptProblems(): Promise<string[]> {
    const problems: string[] = [];
    for (const { name, files } of folders.values()) {
      for (const [file, content] of files) {
        const found = await this.host.windows.drive.read(`${stepsHome}\\${name}\\${file}`);
        if (found?.equals(content) !== true) problems.push(`${name}/${file} is not what was sent`);
      }
    }
    return problems;
  }

  async #run(row: Row): Promise<void> {
    if (isCopy(row)) {
      const target = row === "push of the media" ? "C:/kindows/media" : "C:/kindows";
      await this.#upload(`${this.#source(row)}/`, target);
      return;
    }
    const script = row === unpacking ? unpackCommand(home.archive) : this.#stepCommand(row);
    const inputs = { connection: this.connection(), stdin: row === "Join-Node" ? joinInput : "" };
    const run = { script, inputs, previous: { stdout: "", stderr: "" }, redact: same };
    const { stdout } = await runRemotely(run, operation(row));
    if (row !== unpacking) parseStepResult(row, hostName, stdout);
  }

  #stepCommand(step: StepName): string {
    const folder = `${stepsHome}\\${folders.get(step)?.name ?? ""}`;
    if (step === "Reset-Node") return resetCommand(folder);
    const args = (goodArguments(this.host)[step] ?? []).map((each) => (each === "" ? '""' : each));
    const script = `${folder}\\${step}.ps1`;
    return `powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File ${script} ${args.join(" ")}`;
  }

  async #upload(source: string, target: string): Promise<void> {
    const ssh = await dial(this.connection(), operation(target));
    try {
      await uploadSource(ssh.client, { path: source }, target, operation(target));
    } finally {
      ssh.close();
    }
  }

  #source(row: Row): string {
    return row === "push of the media" ? join(this.#work, "media") : home.folder;
  }

  /** How the machine is reached, as a resource has it. */
  connection(): Record<string, string | number> {
    return {
      host: "127.0.0.1",
      port: this.port,
      user: "Administrator",
      privateKey: adminKey.private,
      hostKey: this.host.hostKey,
      dialErrorLimit: -1,
      perDialTimeout: limitSeconds,
    };
  }
}

/** What the engine would give an operation, with a limit of its own. */
export function operation(name: string): Operation {
  return {
    urn: name,
    name,
    signal: AbortSignal.timeout(limitSeconds * 1000),
    timeoutSeconds: limitSeconds,
    log: () => undefined,
    progress: () => undefined,
  };
}

let reference: Promise<Record<string, string>> | undefined;

/** A machine that became a node without any fault. */
function unharmed(): Promise<Record<string, string>> {
  reference ??= withLab(async (lab) => {
    await lab.prepare("Test-WindowsHost");
    const error = await lab.up("Join-Node");
    if (error !== undefined) throw new Error(error);
    await lab.host.up();
    return listing(lab.host);
  });
  return reference;
}

/** Runs something with a machine of its own, which is gone afterwards. */
export async function withLab<T>(work: (lab: Lab) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "kindows-faults-"));
  try {
    const lab = await Lab.start(folder);
    try {
      return await work(lab);
    } finally {
      await lab.host.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

function same(text: string): string {
  return text;
}
