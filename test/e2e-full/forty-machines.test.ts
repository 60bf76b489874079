import assert from "node:assert/strict";
import path from "node:path";
import { execa } from "execa";
import { ApiServer } from "../engine/plugins/support/api-server.ts";
import { type EngineProject, type EngineRun, succeeded } from "../engine/plugins/support/engine.ts";
import { sourcesProject } from "../engine/plugins/support/sources.ts";
import { accountName, documentedAccount } from "../engine/kubevirt/documented-account.ts";
import { ensureTestEngine } from "../prepare.ts";
import { KubeVirtStandIn } from "../engine/kubevirt/stand-in.ts";

const count = 40;

/** Memory of engine, plugins and program, in MiB. */
async function memory(): Promise<number> {
  const { stdout } = await execa("ps", ["-e", "-o", "pid=,ppid=,rss=,comm="]);
  const processes = stdout.split("\n").map((line) => line.trim().split(/\s+/));
  const below = (parent: string): number =>
    processes
      .filter(([, of, , name = ""]) => of === parent && !/etcd|apiserver|^ps$/.test(name))
      .reduce((sum, [pid = "", , rss]) => sum + Number(rss) / 1024 + below(pid), 0);
  return below(String(process.pid));
}

describe("40 machines on KubeVirt's stand-in in the engine", () => {
  let api: ApiServer;
  let standIn: KubeVirtStandIn;
  let project: EngineProject;

  before(async () => {
    await ensureTestEngine();
    api = await ApiServer.start();
    let started = 0;
    standIn = await KubeVirtStandIn.begin(api.kubeconfig, () => {
      started += 1;
      return Promise.resolve({ address: `192.0.2.${started}`, stop: () => Promise.resolve() });
    });
    project = await sourcesProject();
    await project.write("kubeconfig", await documentedAccount(api));
    const settings = {
      cluster: { kubeconfig: { file: path.join(project.folder, "kubeconfig") } },
      machine: {
        kind: "kubevirt",
        namespace: "windows",
        storageClass: "fast",
        startMinutes: 10,
        image: { kind: "http", url: "https://images.example.com/windows.qcow2" },
        network: { multus: "windows/lan" },
        nodes: Array.from({ length: count }, (_, index) => ({ name: `win-${index + 1}` })),
      },
    };
    await project.program(`
      import * as pulumi from "@pulumi/pulumi";
      import { machinesInCluster } from "./components/machine/kubevirt/kubevirt-machines.ts";
      import { resolveExisting } from "./config/existing.ts";

      const { cluster, login, machine } = resolveExisting(${JSON.stringify(settings)}, { file: "x" });
      const { kubeconfig } = cluster;
      const make = await machinesInCluster({
        ...{ machine, kubeconfig, login, bastions: {}, stack: "dev" },
      });
      const { machines } = make(new pulumi.ComponentResource("kindows:stacks:Machines", "machines"));
      export const addresses = machines.map(({ machine }) => machine.address);
    `);
  });
  after(async () => {
    await project.dispose();
    await standIn.end();
    await api.stop();
  });

  /**
   * Runs the engine.
   *
   * @returns how often program and plugin ask the API server meanwhile, and how many of that are lists and watches.
   */
  async function asked(what: string, work: () => Promise<EngineRun>) {
    const own = async () => (await api.asked()).filter(({ user }) => user.username === accountName);
    const before = (await own()).length;
    const began = Date.now();
    let peak = 0;
    const timer = setInterval(() => {
      void memory().then((now) => (peak = Math.max(peak, now)));
    }, 500);
    const run = await work().finally(() => {
      clearInterval(timer);
    });
    const requests = (await own()).slice(before);
    const seconds = ((Date.now() - began) / 1000).toFixed(0);
    const verbs: Record<string, number> = {};
    for (const { verb } of requests) verbs[verb] = (verbs[verb] ?? 0) + 1;
    console.log(`      ${what}: ${seconds} s, ${peak.toFixed(0)} MiB, ${JSON.stringify(verbs)}`);
    succeeded(run);
    const { list = 0, watch = 0 } = verbs;
    return { run, all: requests.length, follows: list + watch };
  }

  /** Looking at the cluster first, with three lists of what there is; however many machines there are. */
  const first = 50;

  it("cost a preview at most a dry run of each object", async () => {
    const { run, all } = await asked("preview", () => project.preview());
    const steps = Object.entries(run.steps).filter(([name]) => name.startsWith("win-"));
    // A component, its host key, Secret and VirtualMachine.
    assert.equal(steps.flatMap(([, ops]) => ops).length, count * 4);
    assert.ok(all <= first + 1 + count * 2, `${all} requests`);
  });

  it("are made with two requests for each object, and followed by watches", async () => {
    const { all, follows } = await asked("up", () => project.up());
    const { addresses } = (await project.outputs()) as { addresses: string[] };
    assert.equal(new Set(addresses).size, count);
    assert.ok(follows <= 2 * count, `${follows} lists and watches`);
    assert.ok(all - follows <= first + (1 + count * 2) * 2, `${all} requests`);
  });

  it("cost nothing more when they run", async () => {
    const { all } = await asked("up without a change", () => project.up());
    assert.ok(all <= first, `${all} requests`);
  });
});
