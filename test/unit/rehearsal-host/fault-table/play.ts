import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { resetCommand } from "../../../../components/windows/reset-command.ts";
import { parseStepResult } from "../../../../components/windows/step-result.ts";
import { runRemotely } from "../../../../plugins/command/run-remotely.ts";
import { dial } from "../../../../plugins/command/dial.ts";
import { uploadSource } from "../../../../plugins/command/upload.ts";
import type { Operation } from "../../../../plugins/protocol/operation.ts";
import type { RehearsalHost } from "../../../../rehearsal/host/in-process.ts";
import { type StepName, stepNames } from "../../../../rehearsal/host/step-names.ts";
import { listing } from "../machine-listing.ts";
import { adminKey, remoteSteps, stepCommand } from "../ssh-client.ts";
import { goodArguments, joinInput, startWithSteps } from "../step-runner.ts";
import { differences } from "./differences.ts";
import { copies, type TableFault } from "./faults.ts";
import { FaultyCluster } from "./faulty-cluster.ts";

/** Factor on every wait of the machine: 240 s are 2.4 s. */
const patience = 0.01;
/** Seconds in which anything must have ended: what takes longer counts as hanging. */
const limitSeconds = 30;

const hostName = "win-1";

export type Row = StepName | (typeof copies)[number];

/** How a fault in a step ended. */
export interface CellResult {
  /** What the first `up` said; undefined where it went through all the same. */
  readonly error: string | undefined;
  /** Kind of the step's own error; undefined where the connection was lost. */
  readonly code: string | undefined;
  /** What is wrong after the last `up`; empty when nothing is. */
  readonly problems: readonly string[];
}

/** Steps that are run on a node, not to make one. */
function isApart(row: Row): boolean {
  return row === "Reset-Node" || row === "Export-NodeLog";
}

/** Steps of an `up`, in their order; the undoing is a row of its own. */
const upSteps = stepNames.filter((name) => !isApart(name));

/** Plays one cell: an `up` with the fault, then one without. */
export async function play(row: Row, fault: TableFault): Promise<CellResult> {
  const cluster = new FaultyCluster(patience);
  const step = stepNames.find((name) => name === row);
  const settings = fault.settings?.(step ?? "Test-WindowsHost", row) ?? [];
  const host = await startWithSteps({
    hostName,
    authorizedKeys: [adminKey.public],
    cluster,
    patience,
    faults: settings,
  });
  const work = await mkdtemp(join(tmpdir(), "kindows-faults-"));
  try {
    const lab = new Lab(host, cluster, work);
    await lab.prepare(row);
    const first = await lab.up(row, fault);
    fault.mendCluster?.(cluster);
    let second = first === undefined ? undefined : await lab.up(row);
    // A step that lost its connection goes on, and may reboot the machine under the next `up`.
    if (second !== undefined && codeOf(second) === undefined) second = await lab.up(row);
    await host.up();
    return {
      error: first,
      code: codeOf(first),
      problems: [
        ...(second === undefined ? [] : [`the second up failed: ${second}`]),
        ...(await lab.problems(row)),
      ],
    };
  } finally {
    await host.stop();
    await rm(work, { recursive: true });
  }
}

/** A machine, and what a state file would say of it. */
class Lab {
  readonly #host: RehearsalHost;
  readonly #cluster: FaultyCluster;
  readonly #work: string;
  readonly #done = new Set<string>();
  #clean: Record<string, string> = {};

  constructor(host: RehearsalHost, cluster: FaultyCluster, work: string) {
    this.#host = host;
    this.#cluster = cluster;
    this.#work = work;
  }

  /** Makes what the row needs to be there, or not to be. */
  async prepare(row: Row): Promise<void> {
    const { driveC } = this.#host;
    if (row === "push of the media") {
      await cp(join(driveC, "kindows/media"), join(this.#work, "media"), { recursive: true });
      await rm(join(driveC, "kindows/media"), { recursive: true });
      await this.#host.windows.drive.makeFolder("C:\\kindows\\media");
    }
    // Each copy is made where the row is about it; in all others the scripts and the media are there.
    for (const copy of copies) if (copy !== row) this.#done.add(copy);
    if (row === "copy of the scripts") {
      await rm(join(driveC, "kindows/steps"), { recursive: true });
      await this.#host.windows.drive.makeFolder("C:\\kindows\\steps");
    }
    this.#clean = await listing(this.#host);
    if (isApart(row)) {
      const error = await this.up("Join-Node");
      if (error !== undefined) throw new Error(`the machine did not become a node: ${error}`);
    }
  }

  /**
   * What an `up` does that is not done yet, or the undoing; what went wrong, named as the engine does by its resource.
   * The fault strikes in the row.
   */
  async up(row: Row, fault?: TableFault): Promise<string | undefined> {
    const all: readonly Row[] = isApart(row) ? [row] : [...copies, ...upSteps];
    for (const each of all.filter((name) => !this.#done.has(name))) {
      if (each === row) fault?.breakCluster?.(this.#cluster);
      const error = await this.#run(each).then(
        () => undefined,
        (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
      );
      if (error !== undefined) return `${hostName}-${each.toLowerCase()}: ${error}`;
      this.#done.add(each);
      // "While the step runs": what was broken for its sake is there again for the next.
      if (each === row) this.#cluster.mend();
    }
    return undefined;
  }

  /** What is not as on a machine that nothing happened to. */
  async problems(row: Row): Promise<string[]> {
    const after = await listing(this.#host);
    if (row === "Reset-Node") return differences(this.#clean, after);
    const names = [...new Set(this.#cluster.registered)];
    const offset = Math.abs(this.#host.programs.clockOffsetMilliseconds);
    return [
      ...(isDeepStrictEqual(names, [hostName]) ? [] : [`nodes registered as ${names.join(", ")}`]),
      ...(this.#cluster.nodes.length === 1 ? [] : [`${this.#cluster.nodes.length} nodes`]),
      ...(offset < 60_000 ? [] : [`the clock is off by ${offset / 1000} s`]),
      ...differences(await unharmed(), after),
    ];
  }

  async #run(row: Row): Promise<void> {
    if (row === "copy of the scripts") {
      await this.#upload("components/windows/steps/", "C:/kindows/steps/0123456789ab");
      return;
    }
    if (row === "push of the media") {
      await this.#upload(join(this.#work, "media/"), "C:/kindows/media");
      return;
    }
    const args = goodArguments(this.#host)[row] ?? [];
    const script = row === "Reset-Node" ? resetCommand(remoteSteps) : stepCommand(row, args);
    const inputs = { connection: this.#connection(), stdin: row === "Join-Node" ? joinInput : "" };
    const run = { script, inputs, previous: { stdout: "", stderr: "" }, redact: same };
    const { stdout } = await runRemotely(run, operation(row));
    parseStepResult(row, hostName, stdout);
  }

  async #upload(source: string, target: string): Promise<void> {
    const ssh = await dial(this.#connection(), operation(target));
    try {
      await uploadSource(ssh.client, { path: source }, target, operation(target));
    } finally {
      ssh.close();
    }
  }

  #connection(): Record<string, string | number> {
    return {
      host: "127.0.0.1",
      port: this.#host.port,
      user: "Administrator",
      privateKey: adminKey.private,
      hostKey: this.#host.hostKey,
      dialErrorLimit: -1,
      perDialTimeout: 5,
    };
  }
}

/** Kind of a step's own error. */
function codeOf(error: string | undefined): string | undefined {
  return /failed \((\w+)\): /.exec(error ?? "")?.[1];
}

function same(text: string): string {
  return text;
}

function operation(name: string): Operation {
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
  reference ??= (async () => {
    const cluster = new FaultyCluster(patience);
    const host = await startWithSteps({
      hostName,
      authorizedKeys: [adminKey.public],
      cluster,
      patience,
    });
    try {
      const lab = new Lab(host, cluster, "");
      await lab.prepare("Join-Node");
      const error = await lab.up("Join-Node");
      if (error !== undefined) throw new Error(error);
      await host.up();
      return await listing(host);
    } finally {
      await host.stop();
    }
  })();
  return reference;
}
