import { readFileSync } from "node:fs";
import { KubeConfig } from "@kubernetes/client-node";
import { ApiServerCluster } from "../../../rehearsal/host/hollow/api-server-cluster.ts";
import { startRehearsalHost, type RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import type { EngineProject, EngineRun } from "../plugins/support/engine.ts";
import { makeKey } from "../plugins/support/ssh-server.ts";
import { sourcesProject } from "../plugins/support/sources-project.ts";
import { endpointOf, makeClusterOfKubeadm } from "./existing-lab.ts";
import { existingProgram } from "./existing-program.ts";
import { SshGate, SshTally } from "./ssh-gate.ts";

/** What a run cost. */
export interface Cost {
  readonly run: EngineRun;
  /** SSH connections that were made. */
  readonly connections: number;
  /** How many were open at the same time, at most. */
  readonly most: number;
  readonly seconds: number;
  /** Of engine, plugins, program and actions; the models of Windows and the API server are not among it. */
  readonly cpuSeconds: number;
}

/** Models of Windows, all in this process and each behind a gate that counts, and a real API server that they join. */
export class ManyMachines {
  private constructor(
    readonly api: ApiServer,
    private readonly hosts: readonly RehearsalHost[],
    private readonly gates: readonly SshGate[],
    private readonly tally: SshTally,
    readonly project: EngineProject,
  ) {}

  static async start(count: number): Promise<ManyMachines> {
    const api = await ApiServer.start();
    await makeClusterOfKubeadm(api);
    const config = new KubeConfig();
    config.loadFromString(api.kubeconfig);
    const login = makeKey();
    const tally = new SshTally();
    const hosts: RehearsalHost[] = [];
    const gates: SshGate[] = [];
    for (let index = 0; index < count; index++) {
      const host = await startRehearsalHost({
        hostName: nameOf(index),
        authorizedKeys: [login.publicKey],
        cluster: new ApiServerCluster(config),
      });
      host.programs.ownAddresses = ["127.0.0.1", addressOf(index)];
      hosts.push(host);
      gates.push(await SshGate.start(host.port, tally));
    }
    const project = await sourcesProject();
    await project.write("key", login.privateKey);
    await project.write("kubeconfig", api.kubeconfig);
    return new ManyMachines(api, hosts, gates, tally, project);
  }

  /** An `up` with the first machines of all, that may do some things side by side. */
  async up(count: number, parallel: number): Promise<Cost> {
    const members = this.hosts.slice(0, count).map(({ hostKey }, index) => ({
      name: nameOf(index),
      address: addressOf(index),
      port: this.gates[index]?.port ?? 0,
      hostKey,
      labels: {},
    }));
    const [{ media } = { media: undefined }] = this.hosts;
    if (media === undefined) throw new Error("there is no machine");
    await this.project.program(existingProgram(members, endpointOf(this.api), media));
    this.tally.reset();
    const [started, cpu] = [performance.now(), childrenCpuSeconds()];
    const run = await this.project.up("--parallel", String(parallel));
    return {
      run,
      connections: this.tally.made,
      most: this.tally.most,
      seconds: (performance.now() - started) / 1000,
      cpuSeconds: childrenCpuSeconds() - cpu,
    };
  }

  async dispose(): Promise<void> {
    await this.project.dispose();
    await Promise.all(this.gates.map((gate) => gate.stop()));
    await Promise.all(this.hosts.map((host) => host.stop()));
    await this.api.stop();
  }
}

function nameOf(index: number): string {
  return `win-${index + 1}`;
}

function addressOf(index: number): string {
  return `192.168.150.${10 + index}`;
}

/** Clock ticks of Linux in a second, as programs see them: the same on every architecture that Node runs on. */
const ticks = 100;

/** Processor time of all children of this process that have ended, theirs included: proc(5), stat, cutime and cstime. */
function childrenCpuSeconds(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  // From the third field on: the second, the program's name, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / ticks;
}
