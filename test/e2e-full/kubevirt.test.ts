import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";
import { builtTool } from "../../toolchain/built.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { killPoint } from "../e2e/kill-points.ts";
import { engineChanges, printSeconds, succeeded, tail } from "../e2e/lab.ts";
import { type Guest, type GuestStart, KubeVirtStandIn } from "../engine/kubevirt/stand-in.ts";
import {
  clearHost,
  controlPlane,
  estateLab as lab,
  Ground,
  pulumi,
  removeStack,
  up,
} from "./outside/estate.ts";
import { OutsideMachine } from "./outside/outside-machine.ts";

const moment = killPoint("during join-node");

const machine = `${lab.prefix}-win-1`;

/** Whether there is KubeVirt itself in the cluster, which only a host with a way out can have; else a stand-in. */
const isReal = process.env["KINDOWS_KUBEVIRT"] === "real";

const uploadPort = 18443;

/** A rehearsed Windows node for the cluster that hosts it: a stand-in does there what KubeVirt would, with QEMU. */
describe("a machine on KubeVirt, from nothing to a node and back", function () {
  this.bail(true);

  let ground: Ground;
  let kubevirt: Pick<KubeVirtStandIn, "kill" | "end">;
  let guest: OutsideMachine | undefined;
  let objects: readonly string[];

  async function start({ node, mac, userData, isNew }: GuestStart): Promise<Guest> {
    const { address, base } = ground;
    if (isNew) guest = await OutsideMachine.make({ name: node, address, mac, base, userData });
    const running = guest ?? assert.fail();
    await running.start();
    return { address, stop: () => running.kill() };
  }

  async function beginStandIn(): Promise<object> {
    const kubeconfig = await readFile(ground.cluster.kubeconfig, "utf8");
    kubevirt = await KubeVirtStandIn.begin(kubeconfig, start);
    const image = { kind: "http", url: "https://images.example.com/rehearsal.qcow2" };
    return { storageClass: "fast", image, network: { multus: "windows/lan" } };
  }

  async function installKubeVirt(): Promise<object> {
    const { cluster, base, folder } = ground;
    const env = { KUBECONFIG: cluster.kubeconfig };
    const script = "test/e2e-full/outside/install-kubevirt.sh";
    await execa(script, { env, cwd: projectRoot, stdio: "inherit" });
    const path = `${folder}/base.qcow2`;
    await execa("qemu-img", ["convert", "-O", "qcow2", "-c", base, path]);
    const ports = `${uploadPort}:443`;
    const forward = ["port-forward", "--namespace", "cdi", "service/cdi-uploadproxy", ports];
    const forwarding = execa(builtTool("kubectl"), forward, { env, reject: false });
    kubevirt = {
      kill: async (name) => {
        await cluster.kubectl("delete", "vmi", "--namespace", "windows", name);
      },
      end: async () => {
        forwarding.kill();
        await forwarding;
      },
    };
    const proxy = `https://localhost:${uploadPort}`;
    return {
      image: { kind: "upload", path, sha256: await sha256OfFile(path), proxy },
      storageClass: "standard",
      network: { pod: "bridge" },
      portForward: true,
      firmware: "bios",
      cpus: 2,
      memoryMiB: 4096,
      diskGiB: 48,
    };
  }

  const ready = (): Promise<string> =>
    ground.cluster.kubectl(
      ...["get", "node", "win-1", "-o"],
      'jsonpath={.metadata.uid} {.status.conditions[?(@.type=="Ready")].status}' +
        ' {.status.conditions[?(@.type=="Ready")].lastTransitionTime}',
    );

  /** Waits until its kubelet, as it runs from now on, has renewed its lease. */
  const untilRenewed = async (): Promise<void> =>
    ground.cluster.untilRenewed("win-1", await ground.cluster.leaseRenewal("win-1"));

  before(async () => {
    await clearHost();
    ground = await Ground.make();
    const settings = isReal ? await installKubeVirt() : await beginStandIn();
    objects = await ground.cluster.objects();
    const nodes = [{ name: "win-1" }];
    await ground.configure({
      "kindows:machine": { kind: "kubevirt", namespace: "windows", ...settings, nodes },
    });
  });
  after(async () => {
    await removeStack();
    await kubevirt.end();
    await ground.remove();
    await lab.removeSettings();
  });

  it("is made and boots, and is killed under `up` while it becomes a node", async () => {
    await succeeded(lab.kindows("fetch"));
    await succeeded(pulumi(`stack init ${lab.stack}`));
    let killed: Promise<void> | undefined;
    const run = await pulumi("up --yes --skip-preview", (line) => {
      if (!moment.line.test(line)) return;
      killed ??= sleep(moment.seconds * 1000).then(() => kubevirt.kill(machine));
    });
    printSeconds(`up that ended with exit code ${run.exitCode}`, run);
    assert.ok(killed !== undefined, tail(run.output));
    await killed;
    assert.ok(!run.output.includes("PRIVATE KEY"));
  });

  it("is a Ready node with the next `up`", async () => {
    await up("up");
    await ground.cluster.untilReady([controlPlane, "win-1"]);
  });

  it("has nothing to do afterwards", async () => {
    printSeconds("preview", await lab.plansNothing());
  });

  it("stays Ready while it is moved to another host", async function () {
    if (!(kubevirt instanceof KubeVirtStandIn) || guest === undefined) return this.skip();
    const before = await ready();
    await guest.move();
    await kubevirt.move(machine);
    await untilRenewed();
    assert.equal(await ready(), before);
    await lab.plansNothing();
  });

  it("is waited for when it was killed, and is the same node", async () => {
    const [uid = ""] = (await ready()).split(" ");
    await kubevirt.kill(machine);
    const run = await up("up after it was killed");
    assert.deepEqual(engineChanges(run.output), []);
    await untilRenewed();
    await ground.cluster.untilReady([controlPlane, "win-1"]);
    assert.ok((await ready()).startsWith(`${uid} `));
  });

  it("goes, and leaves the cluster as it was", async () => {
    await succeeded(pulumi("destroy --yes --skip-preview"), "destroy");
    await succeeded(pulumi("stack rm --yes"));
    await ground.cluster.untilAgain(objects);
    assert.notEqual(await guest?.isRunning(), true);
  });
});
