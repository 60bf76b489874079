import assert from "node:assert/strict";
import { startRehearsalHost, type RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import type { EngineProject, EngineRun } from "../plugins/support/engine.ts";
import { makeKey } from "../plugins/support/ssh-server.ts";
import { nodeProgram, nodeProject, type Variation } from "./node-program.ts";

/** The real engine, plugins and component, against the model of Windows with hollow programs. */
export class NodeLab {
  private constructor(
    readonly host: RehearsalHost,
    readonly project: EngineProject,
  ) {}

  /** A fresh machine and an empty stack. */
  static async start(): Promise<NodeLab> {
    const key = makeKey();
    const host = await startRehearsalHost({ hostName: "win-1", authorizedKeys: [key.publicKey] });
    return new NodeLab(host, await nodeProject(key.privateKey));
  }

  async dispose(): Promise<void> {
    await this.project.dispose();
    await this.host.stop();
  }

  program(variation: Variation): string {
    return nodeProgram(this.host, variation);
  }

  /** An `up` that must succeed. */
  async up(variation: Variation = {}): Promise<EngineRun> {
    await this.project.program(this.program(variation));
    const run = await this.project.up();
    assert.equal(run.exitCode, 0, run.text);
    return run;
  }
}

/** Names of the node's resources that an operation was done to, in its order. */
export function touched(run: EngineRun, operation: string): string[] {
  return Object.entries(run.steps)
    .filter(([name, operations]) => name.startsWith("win-1-") && operations.includes(operation))
    .map(([name]) => name);
}
