import assert from "node:assert/strict";
import os from "node:os";
import path from "node:path";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { execa } from "execa";
import { engineEnvironment } from "../../../../cli/engine/environment.ts";
import { backendUrl } from "../../../../cli/engine/folders.ts";
import { builtTool } from "../../../../toolchain/built.ts";
import { bundlePrograms } from "../../../../toolchain/program/bundle.ts";
import { bundled, shareCompiled } from "./shared-bundle.ts";

/** Absolute path of a tool: the prepared one, or the first on the PATH. @throws if there is neither */
export function findTool(name: string): string {
  try {
    return builtTool(name);
  } catch (notPrepared) {
    for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
      const candidate = path.join(folder, name);
      try {
        accessSync(candidate, constants.X_OK);
        return candidate;
      } catch {
        // Not here.
      }
    }
    throw new Error(`${name} is neither prepared nor on the PATH`, { cause: notPrepared });
  }
}

/** Result of one run of the engine. */
export interface EngineRun {
  /** Events as the engine sent them. */
  readonly events: readonly EngineEvent[];
  readonly exitCode: number;
  /** All output. */
  readonly text: string;
  /** Operations on each resource, by name and in order: create, update, replace, same, delete... */
  readonly steps: Readonly<Record<string, readonly string[]>>;
  /** Temporary and permanent lines about resources, by resource name. */
  readonly messages: readonly Message[];
}

export interface Message {
  readonly resource: string;
  readonly severity: string;
  readonly text: string;
}

interface EngineEvent {
  readonly resourcePreEvent?: { readonly metadata: { readonly op: string; readonly urn: string } };
  /** The operations that were done; for a refresh, what it found. */
  readonly resOutputsEvent?: EngineEvent["resourcePreEvent"];
  readonly diagnosticEvent?: {
    readonly urn?: string;
    readonly severity: string;
    readonly message: string;
  };
}

interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
  readonly initErrors?: readonly string[];
}

const repository = path.resolve(import.meta.dirname, "../../../..");
/** By them the language host knows which providers to serve itself, as for this project's own program. */
const packages = { "@pulumi/command": "*", "@pulumi/kubernetes": "*" };
/** As this project's own program has it. */
const beforeSdk = path.join(repository, "toolchain/program/before-sdk.js");

/** A Pulumi project with one stack in a temporary folder, run by the real engine with the plugins under test. */
export class EngineProject {
  /** Folder of the program; commands run in it. */
  readonly folder: string;
  readonly stateFolder: string;
  private compiled = "";
  private source = "";

  private constructor(
    private readonly root: string,
    private readonly further: Readonly<Record<string, string>>,
    private readonly isBundled: boolean,
  ) {
    this.folder = path.join(root, "project");
    this.stateFolder = path.join(root, "state");
  }

  /**
   * @param environment further variables for engine, plugins and program
   * @param options `bundled`: programs may import TypeScript from the project's folder, and are bundled like kindows
   * itself.
   */
  static async create(
    environment: Readonly<Record<string, string>> = {},
    { bundled = false }: { readonly bundled?: boolean } = {},
  ): Promise<EngineProject> {
    const root = await mkdtemp(path.join(os.tmpdir(), "kindows-engine-"));
    const project = new EngineProject(root, environment, bundled);
    await mkdir(project.folder);
    await mkdir(project.stateFolder);
    await symlink(path.join(repository, "node_modules"), path.join(project.folder, "node_modules"));
    project.compiled = await shareCompiled(project.folder);
    await project.write(
      "package.json",
      JSON.stringify({ type: "module", main: "index.js", dependencies: packages }),
    );
    await project.write(
      "Pulumi.yaml",
      `name: test
runtime: { name: nodejs, options: { typescript: false, nodeargs: --import ${beforeSdk} } }
plugins: { providers: [{ name: kindows, path: ${path.join(repository, "offline/plugins/kindows")} }] }
`,
    );
    const made = await project.run(["stack", "init", "dev"]);
    if (made.exitCode !== 0) throw new Error(`pulumi stack init: ${made.text}`);
    return project;
  }

  async write(file: string, content: string): Promise<void> {
    await writeFile(path.join(this.folder, file), content);
  }

  /**
   * Replaces the program, an ES module.
   *
   * @param given what it reads from `given.json`, so that another value needs no other bundle
   */
  async program(source: string, given: object = {}): Promise<void> {
    await this.write("given.json", JSON.stringify(given));
    if (source === this.source) return;
    this.source = source;
    if (!this.isBundled) {
      await this.write("index.js", source);
      return;
    }
    await this.write("program.ts", source);
    await bundlePrograms(this.folder, ["program.ts"], path.join(this.folder, "bundle"));
    await this.write("index.js", `export * from "./bundle/program.mjs";\n`);
    // Otherwise the first host actions, which run in parallel, would each make the bundle.
    await bundled(this.folder, "index.ts");
  }

  up(...flags: string[]): Promise<EngineRun> {
    return this.#operation(["up", "--yes", "--skip-preview", ...flags]);
  }

  preview(...flags: string[]): Promise<EngineRun> {
    return this.#operation(["preview", ...flags]);
  }

  refresh(...flags: string[]): Promise<EngineRun> {
    return this.#operation(["refresh", "--yes", "--skip-preview", ...flags]);
  }

  destroy(...flags: string[]): Promise<EngineRun> {
    return this.#operation(["destroy", "--yes", "--skip-preview", ...flags]);
  }

  /** Resources of the stored state, with encrypted secrets. */
  async state(): Promise<StateResource[]> {
    const exported = await this.run(["stack", "export"]);
    const { deployment } = JSON.parse(exported.text) as {
      deployment: { resources?: StateResource[] };
    };
    return deployment.resources ?? [];
  }

  /** A resource of the state, by its name in the program. */
  async resource(name: string): Promise<StateResource> {
    const found = (await this.state()).find(({ urn }) => urn.endsWith(`::${name}`));
    if (found === undefined) throw new Error(`there is no resource ${name} in the state`);
    return found;
  }

  async outputs(): Promise<Record<string, unknown>> {
    const shown = await this.run(["stack", "output", "--json", "--show-secrets"]);
    return JSON.parse(shown.text) as Record<string, unknown>;
  }

  /** The engine's environment: this process's, and the project's variables. */
  get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      ...engineEnvironment(process.env),
      PULUMI_BACKEND_URL: backendUrl(this.stateFolder),
      PULUMI_CONFIG_PASSPHRASE: "engine-test",
      PULUMI_DEBUG_COMMANDS: "true",
      // The programs compile the same SDK in each of their processes.
      NODE_COMPILE_CACHE: this.compiled,
      ...this.further,
    };
  }

  /** Starts the engine without waiting for it. */
  start(args: readonly string[]): ChildProcess {
    const { folder: cwd, environment: env } = this;
    const all = ["--non-interactive", "--color=never", ...args];
    return spawn(findTool("pulumi"), all, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  }

  async run(args: readonly string[]): Promise<{ exitCode: number; text: string }> {
    const child = this.start(args);
    const chunks: Buffer[] = [];
    for (const output of [child.stdout, child.stderr]) {
      output?.on("data", (chunk: Buffer) => chunks.push(chunk));
    }
    const [code] = (await once(child, "close")) as [number | null];
    return { exitCode: code ?? -1, text: Buffer.concat(chunks).toString("utf8") };
  }

  async dispose(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  async #operation(args: readonly string[]): Promise<EngineRun> {
    const log = path.join(this.root, "events.json");
    await rm(log, { force: true });
    const { exitCode, text } = await this.run([...args, "--event-log", log]);
    const events = (await readFile(log, "utf8").catch(() => ""))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as EngineEvent);
    return { exitCode, text, events, steps: stepsOf(events), messages: messagesOf(events) };
  }
}

const resourceName = (urn: string): string => urn.slice(urn.lastIndexOf("::") + 2);

function stepsOf(events: readonly EngineEvent[]): Record<string, string[]> {
  const steps: Record<string, string[]> = {};
  for (const { resourcePreEvent } of events) {
    if (resourcePreEvent === undefined) continue;
    const { urn, op } = resourcePreEvent.metadata;
    (steps[resourceName(urn)] ??= []).push(op);
  }
  return steps;
}

function messagesOf(events: readonly EngineEvent[]): Message[] {
  return events
    .flatMap(({ diagnosticEvent }) => diagnosticEvent ?? [])
    .filter(({ severity }) => severity !== "debug")
    .map(({ urn = "", severity, message }) => ({
      resource: resourceName(urn),
      severity,
      text: message.trim(),
    }));
}

/** Runs the engine on a stack in a folder, with this process's environment, the engine's variables, and `more`. */
export async function runPulumi(
  cwd: string,
  stack: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<{ exitCode: number | undefined; said: string }> {
  const { exitCode, all } = await execa(
    builtTool("pulumi"),
    [...args, "--stack", stack, "--non-interactive", "--color", "never"],
    {
      ...({ cwd, all: true, reject: false, stdin: "ignore", extendEnv: false } as const),
      env: { ...process.env, ...engineEnvironment(process.env), ...more },
    },
  );
  return { exitCode, said: all };
}

/** Waits for a run that must succeed. */
export function succeeded(run: EngineRun): EngineRun {
  assert.equal(run.exitCode, 0, run.text);
  return run;
}

/** Whether the tests run against the official plugins, which behave the same (KINDOWS_PLUGINS=official). */
export const official = process.env["KINDOWS_PLUGINS"] === "official";
