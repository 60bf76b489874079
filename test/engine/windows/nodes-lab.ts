import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { startRehearsalHost, type RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { type EngineProject, type EngineRun, succeeded } from "../plugins/support/engine.ts";
import { makeKey } from "../plugins/support/ssh-server.ts";
import { nodesProgram, nodesProject, type Variations } from "./nodes-program.ts";

/** The real engine, plugins and component, against models of Windows with fake programs. */
export class NodesLab {
  readonly #hosts: Readonly<Record<string, RehearsalHost>>;
  readonly project: EngineProject;

  private constructor(hosts: Readonly<Record<string, RehearsalHost>>, project: EngineProject) {
    this.#hosts = hosts;
    this.project = project;
  }

  /** Fresh machines with these names, and an empty stack. */
  static async start(names: readonly string[]): Promise<NodesLab> {
    const key = makeKey();
    const hosts: Record<string, RehearsalHost> = {};
    for (const hostName of names) {
      hosts[hostName] = await startRehearsalHost({
        ...{ hostName, authorizedKeys: [key.publicKey] },
      });
    }
    return new NodesLab(hosts, await nodesProject(key.privateKey));
  }

  async dispose(): Promise<void> {
    await this.project.dispose();
    await Promise.all(Object.values(this.#hosts).map((host) => host.stop()));
  }

  host(name: string): RehearsalHost {
    return this.#hosts[name] ?? assert.fail(`there is no machine ${name}`);
  }

  /** A file on a machine's drive C:, as it lies on this host. */
  file(name: string, file: string): string {
    return path.join(this.host(name).driveC, file);
  }

  /** What the machine calls others by. */
  hostsFile(name: string): Promise<string> {
    return readFile(this.file(name, "Windows/System32/drivers/etc/hosts"), "utf8");
  }

  /** What the cluster's own actions have reported about a node so far, in their order. */
  async journal(name: string): Promise<string[]> {
    const text = await readFile(path.join(this.project.folder, "journal"), "utf8");
    return text.split("\n").filter((line) => line.includes(`{"name":"${name}",`));
  }

  async up(variations: Variations): Promise<EngineRun> {
    return succeeded(await this.tryUp(variations));
  }

  /** An `up` that may fail. */
  async tryUp(variations: Variations, ...flags: string[]): Promise<EngineRun> {
    await this.project.program(nodesProgram(this.#hosts, variations));
    return this.project.up(...flags);
  }
}
