import path from "node:path";
import { execa } from "execa";
import { Pulumi } from "../../../cli/engine/pulumi.ts";
import { labVariable } from "../../../cli/host-resources/processes.ts";
import { parseDeployment, resourcesOf } from "../../../cli/engine/deployment.ts";
import { EngineProject } from "../plugins/support/engine.ts";
import { findTool } from "../plugins/support/tool.ts";

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
    private readonly project: EngineProject,
    readonly pulumi: Pulumi,
  ) {}

  /** Makes a project with one stack. */
  static async create(): Promise<ScratchProject> {
    const project = await EngineProject.create();
    const { folder, environment, stateFolder } = project;
    const lockFolder = path.join(stateFolder, ".pulumi", "locks", "organization", "test", "dev");
    const program = findTool("pulumi");
    const pulumi = new Pulumi("dev", { project: folder, program, environment, lockFolder });
    return new ScratchProject(project, pulumi);
  }

  get folder(): string {
    return this.project.folder;
  }

  get stateFolder(): string {
    return this.project.stateFolder;
  }

  /** Replaces the program: the body of an ES module that has `Command`, `pulumi` and `file(name)`. */
  async program(body: string): Promise<void> {
    await this.project.program(
      `import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
const { Command } = local;
const file = (name) => ${JSON.stringify(this.folder)} + "/" + name;
${body}`,
    );
  }

  /** Names of the resources in the state, sorted; the stack, components and providers left out. */
  async resources(): Promise<string[]> {
    return resourcesOf(parseDeployment(await this.pulumi.state(["stack", "export"])))
      .filter(({ type, custom }) => custom === true && !type.startsWith("pulumi:"))
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
    return this.project.dispose();
  }
}
