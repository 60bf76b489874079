import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { parse, stringify } from "yaml";
import { runOverSsh } from "../../components/machine/run-over-ssh.ts";
import { ConsoleLog } from "./console-log.ts";
import type { KillPoint } from "./kill-points.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Longest to wait for the rest of what a command wrote, once it has ended. */
const restOfOutputMilliseconds = 5000;

/** Settings of a stack as they stand below `config:` in its file, without the namespace. */
export type LabSettings = Record<string, unknown>;

/** Machines that have every step before them, with the reboot. */
export const bareMachines: LabSettings = {
  windows: { image: { kind: "rehearsal", baked: false } },
};

export interface Finished {
  readonly exitCode: number | undefined;
  /** stdout and stderr as they came. */
  readonly output: string;
  readonly seconds: number;
}

interface KubeObject {
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
}

/** A lab of the tests' own, driven by the commands a user has. */
export class TestLab {
  readonly logFolder: string;
  private runs = 0;

  /** @param stack also the lab's name; its settings file is ignored by git. */
  constructor(readonly stack: string) {
    this.logFolder = path.join(root, ".kindows", "e2e-logs", stack);
  }

  get stackFile(): string {
    return path.join(root, `Pulumi.${this.stack}.yaml`);
  }

  get stateFolder(): string {
    return path.join(root, ".kindows", this.stack);
  }

  /** Writes the stack's settings: the rehearsal's, with what differs; a section keeps what it is not told. */
  async configure(changes: LabSettings): Promise<void> {
    const file = await readFile(path.join(root, "Pulumi.rehearsal.yaml"), "utf8");
    const rehearsal = parse(file) as { config: Record<string, unknown>; encryptionsalt: string };
    const config = { ...rehearsal.config };
    for (const [key, value] of Object.entries(changes)) {
      const before = config[`kindows:${key}`];
      config[`kindows:${key}`] =
        isSection(before) && isSection(value) ? { ...before, ...value } : value;
    }
    await writeFile(this.stackFile, stringify({ ...rehearsal, config }));
  }

  async forget(): Promise<void> {
    await rm(this.stackFile, { force: true });
  }

  /** Runs `./kindows --stack <stack> ...` to its end; what it printed is kept in the log folder. */
  async kindows(...args: string[]): Promise<Finished> {
    return this.run(args, () => undefined);
  }

  /**
   * What a command prints on one of the lab's machines, over SSH with the files that `up` hands out.
   *
   * @throws when it ends with another exit code than 0, or has not ended within a minute.
   */
  async onMachine(node: string, command: string): Promise<string> {
    const hosts = await readFile(path.join(this.stateFolder, "known_hosts"), "utf8");
    const [, host, hostKey] =
      new RegExp(`^([\\d.]+),${node} (.+)$`, "m").exec(hosts) ?? assert.fail(`${node}: ${hosts}`);
    const privateKey = await readFile(path.join(this.stateFolder, "id_ed25519"), "utf8");
    const source = { node, host: host ?? "", port: 22, user: "Administrator", scripts: "" };
    return runOverSsh({ ...source, privateKey, hostKey: hostKey ?? "" }, command, 60);
  }

  /** Starts an `up` and kills its whole process group, without a warning, at a moment of it. */
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

  /** A command with the environment that `kindows env` prints, e.g. `pulumi preview`. */
  async withEnvironment(command: string): Promise<Finished> {
    return this.spawn(
      "bash",
      ["-c", `eval "$(./kindows --stack ${this.stack} env)" && ${command}`],
      () => undefined,
    );
  }

  async nodes(): Promise<KubeObject[]> {
    const { items } = (await this.kubectlJson("get", "nodes")) as { items: KubeObject[] };
    return items;
  }

  async readyNodes(): Promise<string[]> {
    return (await this.nodes())
      .filter(isReady)
      .map((node) => node.metadata.name)
      .sort();
  }

  /** When kubelet renewed the lease of each node last, as the cluster tells it; one that has just joined has none yet. */
  async leaseRenewals(): Promise<ReadonlyMap<string, string>> {
    const { items } = (await this.kubectlJson("-n", "kube-node-lease", "get", "leases")) as {
      items: { metadata: { name: string }; spec: { renewTime: string } }[];
    };
    return new Map(items.map(({ metadata, spec }) => [metadata.name, spec.renewTime]));
  }

  async kubectl(...args: string[]): Promise<string> {
    return this.runKubectl(args);
  }

  /** Applies a manifest. */
  async kubectlApply(manifest: string): Promise<void> {
    await this.runKubectl(["apply", "-f", "-"], { input: manifest });
  }

  /** As `kubectl`, with another kubeconfig than the lab's own. */
  async kubectlWith(kubeconfig: string, ...args: string[]): Promise<string> {
    return this.runKubectl(args, { kubeconfig });
  }

  private async runKubectl(
    args: string[],
    { input = "", kubeconfig = path.join(this.stateFolder, "kubeconfig") } = {},
  ): Promise<string> {
    const { tools } = JSON.parse(
      await readFile(path.join(root, ".kindows", "artifacts.json"), "utf8"),
    ) as { tools: { kubectl: string } };
    const { stdout } = await execa(tools.kubectl, ["--kubeconfig", kubeconfig, ...args], {
      input,
      timeout: 120_000,
    });
    return stdout;
  }

  async kubectlJson(...args: string[]): Promise<unknown> {
    return JSON.parse(await this.kubectl(...args, "-o", "json"));
  }

  private async run(
    args: string[],
    onLine: (line: string, pid: number) => void,
  ): Promise<Finished> {
    const command = path.join(root, "kindows");
    const all = ["--stack", this.stack, ...args];
    if (args[0] !== "up") return this.spawn(command, all, onLine);
    const consoles = new ConsoleLog(`kindows-${this.stack}-`, this.logFolder);
    consoles.start();
    try {
      const finished = await this.spawn(command, all, onLine);
      if (finished.exitCode !== 0 && finished.exitCode !== undefined) {
        console.log(`up failed; the last of the consoles:\n${await consoles.lastLines(15)}`);
      }
      return finished;
    } finally {
      consoles.stop();
    }
  }

  private async spawn(
    command: string,
    args: string[],
    onLine: (line: string, pid: number) => void,
  ): Promise<Finished> {
    await mkdir(this.logFolder, { recursive: true });
    this.runs += 1;
    const logFile = path.join(
      this.logFolder,
      `${String(this.runs).padStart(2, "0")}-${(args.at(-1) ?? command).replace(/[^\w.-]+/g, "_").slice(0, 40)}.log`,
    );
    const log = createWriteStream(logFile, { mode: 0o600 });
    const started = Date.now();
    const child = spawn(command, args, {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let line = "";
    const collect = (chunk: Buffer): void => {
      const text = chunk.toString("utf8");
      log.write(chunk);
      output += text;
      const lines = (line + text).split("\n");
      line = lines.pop() ?? "";
      for (const each of lines) {
        onLine(each, child.pid ?? 0);
      }
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    const closed = new Promise((resolve) => child.once("close", resolve));
    const exitCode = await new Promise<number | undefined>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => resolve(code ?? undefined));
    });
    // The end is seen before the last that was written; a daemon that was started may hold the output open for good.
    await Promise.race([closed, sleep(restOfOutputMilliseconds, undefined, { ref: false })]);
    log.end();
    return { exitCode, output, seconds: (Date.now() - started) / 1000 };
  }
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a node's Ready condition is true. */
export function isReady(node: KubeObject): boolean {
  const conditions = (node.status?.["conditions"] ?? []) as { type: string; status: string }[];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** The end of what a command printed, for a failed assertion's message. */
export function tail(output: string, lines = 40): string {
  return output.split("\n").slice(-lines).join("\n");
}
