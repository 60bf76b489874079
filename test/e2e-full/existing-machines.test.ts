import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { readState } from "../../cli/engine/states.ts";
import { resourcesOf } from "../../cli/engine/deployment.ts";
import { agnhostImage } from "../../images/node/container-images.ts";
import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { builtTool } from "../../toolchain/built.ts";
import { startHostServer } from "../../verify/cluster/outside.ts";
import { readNodes } from "../../verify/cluster/snapshot.ts";
import { selectRows } from "../../verify/rows/select.ts";
import { verifyCluster } from "../../verify/verify.ts";
import { isReady } from "../e2e/cluster.ts";
import { succeeded, printSeconds } from "../e2e/lab.ts";
import { differences } from "./outside/disk-content.ts";
import {
  clearHost,
  controlPlane,
  Estate,
  estateLab as lab,
  type OutsideCluster,
  pulumi,
  removeStack,
  segment,
  up,
} from "./outside/estate.ts";
import type { OutsideMachine } from "./outside/outside-machine.ts";
import { answers } from "./outside/ssh-daemon.ts";

/** Between Linux pods of the one Linux node. */
const passing = [
  "linux-pod-to-linux-pod-same-node",
  "linux-pod-to-linux-service",
  "linux-pod-to-host",
  "linux-node-to-linux-service",
];

/** To and from the HostProcess pods of rehearsed Windows, on its nodes' own addresses. */
const rehearsed = [
  "linux-pod-to-windows-host-pod",
  "linux-pod-to-windows-host-service",
  "windows-node-to-linux-node-port",
  "windows-node-to-linux-host-pod",
  "windows-node-to-windows-host-pod",
  "windows-node-to-host",
  "outside-to-windows-host-pod",
];

/** Tries the paths of a cluster with rehearsed Windows nodes that have no pod network, and no routes to one. */
async function verifiedOutside({ kubeconfig }: OutsideCluster): Promise<void> {
  const api = new ClusterApi(await readFile(kubeconfig, "utf8"));
  const host = await startHostServer(segment.gateway);
  try {
    const { results, leftBehind } = await verifyCluster(
      {
        api,
        kubeconfig,
        host,
        kubectl: builtTool("kubectl"),
        image: agnhostImage,
        facts: {
          nodes: await readNodes(api),
          rehearsal: true,
          noWindowsPodNetwork: "needs a pod network on Windows: kindows:cni.kind is none",
          windowsNodeRoutes: false,
        },
        rows: selectRows([...passing, ...rehearsed]),
        signal: new AbortController().signal,
        say: () => undefined,
      },
      false,
    );
    assert.equal(leftBehind, undefined);
    const ended = (status: string): string[] =>
      (results ?? []).filter((each) => each.status === status).map(({ row }) => row.id);
    const wrong = (results ?? []).filter(({ status }) => !["passed", "rehearsed"].includes(status));
    assert.deepEqual(wrong, []);
    assert.deepEqual(ended("passed").sort(), [...passing].sort());
    assert.deepEqual(ended("rehearsed").sort(), [...rehearsed].sort());
  } finally {
    await host.stop();
  }
}

/** Longest that anything may take that asks a machine which is gone. */
const goneSeconds = 120;

/** What stays on a machine, as docs/existing.md says. */
const left = ["+ drive_c/kindows/"];

/** Machines and a cluster that were made without kindows, joined by it and left as they were. */
describe("existing machines joined to an existing cluster", function () {
  this.bail(true);

  let estate: Estate;
  let first: OutsideMachine;
  let second: OutsideMachine;
  /** What was in the cluster, and on the second machine's disk, before. */
  let objects: readonly string[];
  let disk: Record<string, string>;

  async function configure(machines: readonly OutsideMachine[]): Promise<void> {
    const { ground, login, bastion, bastionAddress } = estate;
    await ground.configure({
      "kindows:login": { user: "Administrator", privateKeyFile: login.file },
      "kindows:nodes": machines.map(({ name, address, hostKey }) => ({
        name,
        address,
        hostKey,
        ...(name === second.name && {
          bastions: [{ address: bastionAddress, user: "root", hostKey: bastion.hostKey.publicKey }],
        }),
      })),
    });
  }

  const names = async (): Promise<readonly string[]> =>
    (await estate.cluster.nodes()).map(({ metadata }) => metadata.name).sort();

  before(async () => {
    await clearHost();
    estate = await Estate.make();
    [first, second] = estate.machines;
    await first.start();
    await second.start();
    objects = await estate.cluster.objects();
    // What a boot changes by itself is no work of a node.
    await second.reboot();
    disk = await second.content();
    await second.start();
  });
  after(async () => {
    await removeStack();
    await estate.remove();
    await lab.removeSettings();
  });

  it("shows the host keys to pin, and the second machine to nobody but the bastion", async () => {
    const shown = await succeeded(lab.kindows("host-key", first.address));
    assert.ok(shown.output.includes(first.hostKey), shown.output);
    assert.equal(await answers(second.address, 22), false);
  });

  it("joins both, the second by the bastion", async () => {
    await configure([first, second]);
    await succeeded(lab.kindows("fetch"));
    await succeeded(pulumi(`stack init ${lab.stack}`));
    const run = await up("up of both");
    assert.ok(!run.output.includes("PRIVATE KEY"));
    assert.deepEqual(await names(), [controlPlane, "win-1", "win-2"]);
    assert.ok((await estate.bastion.logins()) > 0, "nobody logged in at the bastion");
    await estate.cluster.untilReady([controlPlane, "win-1", "win-2"]);
  });

  it("leaves no join token in the cluster, as soon as the nodes are in it", async () => {
    const now = await estate.cluster.objects();
    const more = now.filter((each) => !objects.includes(each));
    assert.ok(
      more.some((each) => each.startsWith("Node ")),
      more.join(),
    );
    const tokens = more.filter((each) => each.includes("bootstrap-token"));
    assert.deepEqual(tokens, []);
  });

  it("has nothing to do afterwards", async () => {
    printSeconds("preview", await lab.plansNothing());
  });

  it("gives a cluster whose paths work, as far as rehearsed Windows has any", () =>
    verifiedOutside(estate.cluster));

  it("takes one out: no node any more, and its disk is what it was before", async () => {
    await configure([first]);
    await up("up without the second");
    assert.deepEqual(await names(), [controlPlane, "win-1"]);
    assert.ok(await second.isRunning());
    assert.deepEqual(differences(disk, await second.content()), left);
    await second.start();
  });

  it("joins it again", async () => {
    await configure([first, second]);
    await up("up with the second again");
    assert.deepEqual(await names(), [controlPlane, "win-1", "win-2"]);
  });

  it("names a machine that is lost and hangs nowhere; one word takes it out", async () => {
    await first.kill();
    await configure([second]);
    const failed = await pulumi("up --yes --skip-preview");
    printSeconds("up without the one that is lost", failed);
    assert.notEqual(failed.exitCode, 0);
    assert.match(failed.output, /win-1 \(.*\) could not be reset: .*KINDOWS_GONE=win-1/);
    assert.ok(failed.seconds < goneSeconds, `it took ${failed.seconds} s`);

    const gone = await succeeded(
      lab.withEnvironment("KINDOWS_GONE=win-1 pulumi up --yes --skip-preview --non-interactive"),
      "the same with KINDOWS_GONE",
    );
    assert.ok(gone.seconds < goneSeconds, `it took ${gone.seconds} s`);
    assert.deepEqual(await names(), [controlPlane, "win-2"]);
    await lab.plansNothing();
  });

  it("leaves cluster and machine as they were when all of the stack goes", async () => {
    await succeeded(pulumi("destroy --yes --skip-preview"), "destroy");
    const state = await readState(lab.stack);
    const resources = state === undefined ? [] : resourcesOf(state);
    assert.deepEqual(resources.map(({ urn }) => urn).slice(1), []);
    assert.deepEqual(await names(), [controlPlane]);
    assert.ok((await estate.cluster.nodes()).every((node) => isReady(node)));
    await estate.cluster.untilAgain(objects);
    assert.ok(await second.isRunning());
    assert.deepEqual(differences(disk, await second.content()), left);
  });
});
