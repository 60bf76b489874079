import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { parse, stringify } from "yaml";
import * as z from "zod";

import { type Deployment, resourcesOf } from "../../cli/engine/deployment.ts";
import { accessFiles } from "../../cli/lab/access.ts";
import { runOverSsh, type SshSource } from "../../host/ssh/run-over-ssh.ts";
import { parseJson } from "../../toolchain/parse-json.ts";
import { localFolder, projectRoot } from "../../toolchain/project.ts";
import { Cluster } from "./cluster.ts";
import type { KillPoint } from "./kill-points.ts";
import { type Finished, runAsGroup } from "./process-group.ts";

/**
 * Logs machines' serial consoles, which libvirt does not, because they say why a guest ended. Arguments: the prefix
 * of the machines' names, and a folder for a file of each. Each file has one writer, which ends with the terminal or
 * the machine.
 */
const keepConsoles = `umask 077
while sleep 2; do
  for domain in $(virsh --quiet list --name | grep "^$0"); do
    terminal=$(virsh --quiet ttyconsole "$domain") && [ -n "$terminal" ] || continue
    flock --nonblock "$1/$domain.console" cat "$terminal" >>"$1/$domain.console" &
  done
done`;

const resultSchema = z.object({
  step: z.string(),
  /** Whether the step changed anything. */
  changed: z.boolean(),
  /** The step's own time, without connecting, waiting for other steps, and the engine. */
  seconds: z.number(),
});

type StepResult = z.infer<typeof resultSchema>;

/** Results of one node's steps by step, in the order of the state. */
export function stepResultsOf(
  node: string,
  deployment: Deployment,
): ReadonlyMap<string, StepResult> {
  const results = resourcesOf(deployment)
    .filter(({ type, urn }) => type === "command:remote:Command" && urn.includes(`::${node}-`))
    .map(({ outputs }) => String(outputs?.["stdout"]).trimEnd().split(/\r?\n/).at(-1) ?? "")
    .flatMap((line) => resultSchema.safeParse(parseJson(line)).data ?? []);
  return new Map(results.map((result) => [result.step, result]));
}

export interface Change {
  readonly operation: "created" | "updated" | "deleted" | "replaced";
  readonly type: string;
  readonly name: string;
}

const line = /^\s*[-+~]{1,2}\s+(\S+:\S+:\S+) (\S+) (created|updated|deleted|replaced)\b/;

/** Changes in the engine's plain progress lines, without the stack itself. */
export function engineChanges(output: string): Change[] {
  return output.split("\n").flatMap((each) => {
    const [, type, name, operation] = line.exec(each) ?? [];
    return type === undefined || name === undefined || type === "pulumi:pulumi:Stack"
      ? []
      : [{ type, name, operation: operation as Change["operation"] }];
  });
}

// A process that a signal kills runs no exit handlers, which here end what labs run.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Settings of a stack as below `config:` in its file, without the namespace. */
export type LabSettings = Record<string, unknown>;

/** Settings of machines on which no step has run, not even the one with the reboot. */
export const bareMachines: LabSettings = {
  windows: { image: { kind: "rehearsal", baked: false } },
};

export type { Finished };

/** A lab for tests, which run the commands that users run. */
export class TestLab extends Cluster {
  readonly logFolder: string;
  private runs = 0;

  /** @param stack also the lab's name; its settings file is ignored by git. */
  constructor(readonly stack: string) {
    super(accessFiles(stack).kubeconfig);
    this.logFolder = path.join(localFolder, "e2e-logs", stack);
  }

  /** Prefix of all names in the lab, unless its settings give it another name. */
  get prefix(): string {
    return `kindows-${this.stack}`;
  }

  get controlPlane(): string {
    return `${this.prefix}-control-plane`;
  }

  get stackFile(): string {
    return path.join(projectRoot, `Pulumi.${this.stack}.yaml`);
  }

  /** Writes the stack's settings: the rehearsal's with `changes`, which are merged into each section. */
  async configure(changes: LabSettings): Promise<void> {
    const file = await readFile(path.join(projectRoot, "Pulumi.rehearsal.yaml"), "utf8");
    const rehearsal = parse(file) as { config: Record<string, unknown>; encryptionsalt: string };
    const config = { ...rehearsal.config };
    for (const [key, value] of Object.entries(changes)) {
      const before = config[`kindows:${key}`];
      config[`kindows:${key}`] =
        isSection(before) && isSection(value) ? { ...before, ...value } : value;
    }
    await writeFile(this.stackFile, stringify({ ...rehearsal, config }));
  }

  /**
   * Takes the lab down, unless it was never configured. If that fails, the settings stay, because `kindows down` needs
   * them.
   */
  async remove(): Promise<void> {
    if (!existsSync(this.stackFile)) return;
    await succeeded(this.kindows("down"));
    await this.removeSettings();
  }

  async removeSettings(): Promise<void> {
    await rm(this.stackFile, { force: true });
  }

  /** Runs `./kindows --stack <stack> ...` to its end and keeps its output in the log folder. */
  async kindows(...args: string[]): Promise<Finished> {
    return this.run(args, () => undefined);
  }

  async machine(node: string): Promise<SshSource> {
    const { knownHosts, sshKey } = accessFiles(this.stack);
    const hosts = await readFile(knownHosts, "utf8");
    const [, host = "", hostKey = ""] =
      new RegExp(`^([\\d.]+),${node} (.+)$`, "m").exec(hosts) ?? assert.fail(`${node}: ${hosts}`);
    const privateKey = await readFile(sshKey, "utf8");
    return { host, port: 22, user: "Administrator", privateKey, hostKey };
  }

  /** Output of a command on a machine. @throws if it fails or takes more than three minutes. */
  async onMachine(node: string, command: string): Promise<string> {
    return runOverSsh(await this.machine(node), command, 180);
  }

  /** Starts an `up` and kills its whole process group with SIGKILL at a kill point. */
  async killedUp({ state, line, seconds }: KillPoint): Promise<void> {
    let killed: NodeJS.Timeout | undefined;
    const finished = await this.run(["up"], (each, pid) => {
      if (killed === undefined && line.test(each)) {
        killed = setTimeout(() => process.kill(-pid, "SIGKILL"), seconds * 1000);
      }
    });
    clearTimeout(killed);
    if (finished.exitCode !== undefined) {
      throw new Error(
        `up ended by itself (${finished.exitCode}) before it was killed (${state}):\n${tail(finished.output)}`,
      );
    }
  }

  /** Runs a command with the environment that `kindows env` prints, e.g. `pulumi preview`. */
  async withEnvironment(
    command: string,
    onLine: (line: string) => void = () => undefined,
  ): Promise<Finished> {
    const script = `eval "$(./kindows --stack ${this.stack} env)" && ${command}`;
    return this.spawn("bash", ["-c", script], onLine);
  }

  /** @throws if another `up` would change anything. */
  async plansNothing(): Promise<Finished> {
    return succeeded(this.withEnvironment("pulumi preview --expect-no-changes"));
  }

  /** @throws if a refresh finds anything that is not in the state. */
  async refreshesNothing(): Promise<void> {
    const refresh = (): Promise<Finished> =>
      this.withEnvironment("pulumi refresh --yes --skip-preview --expect-no-changes");
    const first = await refresh();
    // libvirt's provider 0.8.3 may read a machine's disc incompletely; see docs/troubleshooting.md.
    const again = first.output.includes("error while retrieving remote ISO");
    if (again) console.log("      libvirt's provider read a disc incompletely: refreshing again");
    await succeeded(again ? refresh() : Promise.resolve(first));
  }

  private async run(
    args: string[],
    onLine: (line: string, pid: number) => void,
  ): Promise<Finished> {
    const command = path.join(projectRoot, "kindows");
    const all = ["--stack", this.stack, ...args];
    if (args[0] !== "up") return this.spawn(command, all, onLine);
    const stopped = new AbortController();
    const keeping = runAsGroup("sh", ["-c", keepConsoles, `${this.prefix}-`, this.logFolder], {
      logFile: path.join(this.logFolder, "consoles.log"),
      signal: stopped.signal,
    });
    try {
      const finished = await this.spawn(command, all, onLine);
      if (finished.exitCode !== 0 && finished.exitCode !== undefined) {
        const last = await execa("sh", ["-c", "tail -n 15 *.console"], {
          cwd: this.logFolder,
          reject: false,
        });
        console.log(`up failed; the last lines of the consoles:\n${last.stdout}`);
      }
      return finished;
    } finally {
      stopped.abort();
      await keeping;
    }
  }

  private async spawn(
    command: string,
    args: string[],
    onLine: (line: string, pid: number) => void,
  ): Promise<Finished> {
    this.runs += 1;
    const name = (args.at(-1) ?? command).replace(/[^\w.-]+/g, "_").slice(0, 40);
    const number = String(this.runs).padStart(2, "0");
    let line = "";
    return runAsGroup(command, args, {
      logFile: path.join(this.logFolder, `${number}-${name}.log`),
      onText: (text, pid) => {
        const lines = (line + text).split("\n");
        line = lines.pop() ?? "";
        lines.forEach((each) => onLine(each, pid));
      },
    });
  }
}

export async function virsh(...args: readonly string[]): Promise<string> {
  const all = ["-q", "-c", "qemu:///system", ...args];
  return (await execa("virsh", all, { timeout: 60_000 })).stdout;
}

export async function inContainer(
  container: string,
  ...command: readonly string[]
): Promise<string> {
  return (await execa("docker", ["exec", container, ...command], { timeout: 300_000 })).stdout;
}

/** Result of a command that must succeed. @param what if set, printed with the seconds that it took. */
export async function succeeded(run: Promise<Finished>, what?: string): Promise<Finished> {
  const finished = await run;
  assert.equal(finished.exitCode, 0, tail(finished.output, 80));
  if (what !== undefined) printSeconds(what, finished);
  return finished;
}

export function printSeconds(what: string, { seconds }: Finished): void {
  console.log(`      ${what}: ${seconds.toFixed(0)} s`);
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The end of a command's output, for the message of a failed assertion. */
export function tail(output: string, lines = 40): string {
  return output.split("\n").slice(-lines).join("\n");
}
