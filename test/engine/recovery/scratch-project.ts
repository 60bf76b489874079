import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { backendUrl } from "../../../cli/engine/backend-url.ts";
import { Pulumi } from "../../../cli/engine/pulumi.ts";
import { labVariable } from "../../../cli/lab/processes.ts";
import { parseDeployment, resourcesOf } from "../../../cli/recovery/deployment.ts";
import { pulumiHome } from "../plugins/support/installed-plugins.ts";
import { findTool } from "../plugins/support/tool.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

/** An engine operation under way in a process of its own. */
export interface RunningOperation {
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Exit code (nothing when a signal ended it) and all output. */
  readonly end: Promise<{ readonly exitCode: number | undefined; readonly output: string }>;
}

/** A Pulumi project in a temporary folder, for the CLI's own way of running the engine. */
export class ScratchProject {
  /** Lab whose marker the engine's processes carry. */
  readonly lab = `kindows-engine-test-${process.pid}`;

  private constructor(
    readonly folder: string,
    readonly pulumi: Pulumi,
  ) {}

  /** Makes a project with one stack. */
  static async create(): Promise<ScratchProject> {
    const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-recovery-"));
    const state = path.join(folder, "state");
    await mkdir(state);
    await symlink(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
    await writeFile(path.join(folder, "package.json"), '{ "type": "module", "main": "index.js" }');
    await writeFile(
      path.join(folder, "Pulumi.yaml"),
      "name: test\nruntime: { name: nodejs, options: { typescript: false } }\n",
    );
    const pulumi = new Pulumi("dev", {
      project: folder,
      program: findTool("pulumi"),
      environment: {
        ...process.env,
        PULUMI_HOME: pulumiHome(),
        PULUMI_BACKEND_URL: backendUrl(state),
        PULUMI_CONFIG_PASSPHRASE: "recovery-test",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
        PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
      },
      lockFolder: path.join(state, ".pulumi", "locks", "organization", "test", "dev"),
    });
    await pulumi.state(["stack", "init"]);
    return new ScratchProject(folder, pulumi);
  }

  /** Replaces the program: the body of an ES module that has `Command`, `pulumi` and `file(name)`. */
  async program(body: string): Promise<void> {
    await writeFile(
      path.join(this.folder, "index.js"),
      `import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
const { Command } = local;
const file = (name) => ${JSON.stringify(this.folder)} + "/" + name;
${body}`,
    );
  }

  /** Names of the resources in the state, sorted; the stack and providers left out. */
  async resources(): Promise<string[]> {
    return resourcesOf(parseDeployment(await this.pulumi.state(["stack", "export"])))
      .filter(({ type }) => !type.startsWith("pulumi:"))
      .map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2))
      .sort();
  }

  /**
   * Starts an operation the way `kindows` does.
   *
   * @param marked whether its processes carry the lab's marker; those of plain `pulumi` do not.
   */
  start(operation: string, marked = true): RunningOperation {
    const { stack, workplace } = this.pulumi;
    const environment = { ...workplace.environment, ...(marked && { [labVariable]: this.lab }) };
    const args = [operation, "--yes", "--skip-preview"];
    const child = execa(
      process.execPath,
      ["--import", "tsx", path.join(import.meta.dirname, "run-operation.ts")],
      {
        input: JSON.stringify({ stack, workplace: { ...workplace, environment }, args }),
        ...({ all: true, reject: false, timeout: 300_000 } as const),
      },
    );
    return {
      kill: (signal) => void child.kill(signal),
      end: child.then(({ exitCode, all }) => ({ exitCode, output: all })),
    };
  }

  dispose(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
