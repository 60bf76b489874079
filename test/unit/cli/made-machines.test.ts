import assert from "node:assert/strict";
import { nameOf } from "../../../cli/doctor/finding.ts";
import { examineMade, fixMade } from "../../../cli/doctor/made-machines.ts";
import type { MachinesMade } from "../../../cli/lab/made-machines.ts";
import { reportMade } from "../../../cli/status/made-machines.ts";
import {
  type Deployment,
  resourcesOf,
  type StateResource,
} from "../../../cli/engine/deployment.ts";
import { KubeVirtStack } from "../../../components/machine/kubevirt/stack-machines.ts";
import { withFakeApi, type Answer } from "../controlplane/fake-api.ts";
import { kubeconfig } from "../controlplane/fixture-kubeconfig.ts";
import { labId, settingsWith } from "../machine/kubevirt/kubevirt-lab.ts";
import { eachCase } from "../each-case.ts";
import { deployment, resource } from "./state-builder.ts";

const object = (name: string, more: object = {}, metadata: object = {}): object => ({
  metadata: {
    name,
    uid: `uid of ${name}`,
    resourceVersion: "1",
    labels: { "kindows.dev/lab-id": labId },
    ...metadata,
  },
  ...more,
});
const running = {
  status: {
    phase: "Running",
    nodeName: "rack-3",
    interfaces: [{ name: "nodes", ipAddress: "192.0.2.7" }],
  },
};
const unschedulable = {
  status: {
    phase: "Scheduling",
    conditions: [
      {
        type: "PodScheduled",
        status: "False",
        reason: "Unschedulable",
        message: "0/3 nodes are available",
      },
    ],
  },
};
const node = (name: string, ready: string): object => ({
  metadata: { name },
  status: { conditions: [{ type: "Ready", status: ready }] },
});

/** What is in the cluster, which is both that of the machines and the one that they join, by the lists' paths. */
const lists: Readonly<Record<string, readonly object[]>> = {
  "/apis/kubevirt.io/v1/namespaces/windows/virtualmachines": [
    object("kindows-prod-win-1"),
    object("kindows-prod-win-2"),
    object("kindows-prod-old"),
  ],
  "/apis/kubevirt.io/v1/namespaces/windows/virtualmachineinstances": [
    object("kindows-prod-win-1", running),
    object("kindows-prod-win-2", unschedulable),
    object("kindows-prod-old", running),
  ],
  "/apis/cdi.kubevirt.io/v1beta1/namespaces/windows/datavolumes": [
    object("kindows-prod-image-1"),
    object("kindows-prod-image-2"),
    // Of another stack prod, of a stack Prod or prod_, and one that carries no id.
    object("kindows-prod-image-3", {}, { labels: { "kindows.dev/lab-id": "fedcba9876543210" } }),
    object("kindows-prod-image-4", {}, { labels: {} }),
    object("kindows-prod-win-1", {}, { ownerReferences: [{ uid: "1" }] }),
  ],
  "/api/v1/namespaces/windows/secrets": [object("kindows-prod-win-1-identity")],
  "/api/v1/nodes": [node("win-1", "True"), node("win-2", "False")],
};

const inState = (type: string, name: string): StateResource =>
  resource(`kubernetes:${type}`, name, {
    id: `windows/${name}`,
    outputs: { metadata: { uid: `uid of ${name}` } },
  });

describe("machines that were made for a stack of existing machines", () => {
  /** @param test is given what was removed. */
  const withMade = (test: (made: MachinesMade, deleted: readonly string[]) => Promise<void>) => {
    const deleted: string[] = [];
    const answer = (request: string): Answer => {
      const [method = "", path = ""] = request.split(" ");
      if (method === "DELETE") deleted.push(path.split("/").slice(-2).join("/"));
      const items = lists[path];
      return items === undefined && method === "GET"
        ? [404, {}]
        : [200, { metadata: { resourceVersion: "1" }, items }];
    };
    return withFakeApi(answer, async (_api, _requests, server) => {
      const { machine, cluster } = settingsWith(
        {},
        { cluster: { kubeconfig: { text: kubeconfig(server) } } },
      );
      assert.ok(machine !== undefined);
      const machines = new KubeVirtStack(machine, cluster.kubeconfig, "prod");
      await test(
        { stack: "prod", title: "KubeVirt", kubeconfig: cluster.kubeconfig, machines },
        deleted,
      );
    });
  };

  /** What `status` ends with, and what it prints. */
  async function reported(made: MachinesMade): Promise<readonly [unknown, string]> {
    let text = "";
    const result = await reportMade(made, false, (printed) => (text = printed));
    return [result, text];
  }

  it("are shown with their state, host, address, and whether their nodes are Ready", () =>
    withMade(async (made) => {
      const [result, text] = await reported(made);
      assert.deepEqual(text.split("\n"), [
        "NODE   READY  MACHINE     HOST    ADDRESS",
        "win-1  yes    Running     rack-3  192.0.2.7",
        "win-2  NO     Scheduling",
        "old    NO     Running     rack-3  192.0.2.7",
        "win-2: its instance is Scheduling: Unschedulable: 0/3 nodes are available",
      ]);
      assert.equal(result, "not Ready: win-2, old");
    }));

  it("are shown also where the cluster that they join does not answer", () =>
    withMade(async (made) => {
      const kubeconfig = { text: "clusters: []" };
      const [result, text] = await reported({ ...made, kubeconfig });
      assert.match(text, /^win-1 +\? +Running[^]*\nthe cluster does not answer: /m);
      assert.equal(result, "not Ready: win-1, win-2, old");
    }));

  /** Of two machines one is gone, and an image, a Secret and a machine are in no state. */
  const state = ({ machines }: MachinesMade): Deployment =>
    deployment([
      resource("command:local:Command", "lab-id", {
        inputs: { triggers: ["kindows.lab-id"] },
        outputs: { stdout: labId },
      }),
      resource("pulumi:providers:kubernetes", "kubevirt", {
        inputs: { clusterIdentifier: machines.server },
      }),
      inState("kubevirt.io/v1:VirtualMachine", "kindows-prod-win-1"),
      inState("kubevirt.io/v1:VirtualMachine", "kindows-prod-win-2"),
      inState("kubevirt.io/v1:VirtualMachine", "kindows-prod-win-3"),
      inState("cdi.kubevirt.io/v1beta1:DataVolume", "kindows-prod-image-1"),
    ]);

  const leftOver = [
    "VirtualMachine windows/kindows-prod-old",
    ...["2", "3", "4"].map((each) => `DataVolume windows/kindows-prod-image-${each}`),
    "Secret windows/kindows-prod-win-1-identity",
  ];

  it("are gone where their cluster has no such machine any more, and left over where no state has them", () =>
    withMade(async (made) => {
      const { findings, present } = await examineMade(made, resourcesOf(state(made)));
      assert.deepEqual(
        findings.map((each) => `${nameOf(each)}: ${each.seen}`),
        [
          "machine of kindows-prod-win-3: it was removed by other means",
          ...leftOver.map((each) => `${each}: it has the stack's name, but is not in its state`),
        ],
      );
      const removed = findings.filter(({ remedy }) => remedy.startsWith("unless a run is"));
      assert.deepEqual(
        removed.map(({ subject }) => subject),
        leftOver.filter((each) => !/image-[34]$/.test(each)),
      );
      assert.deepEqual(present[1], { what: "machines", detail: "2 of 3 run" });
    }));

  it("are never gone from a cluster that is not asked", () =>
    withMade(async (made) => {
      const [, , ...others] = resourcesOf(state(made));
      assert.deepEqual(await made.machines.gone(others), []);
    }));

  it("are taken out of the state, and what is left over is removed", () =>
    withMade(async (made, deleted) => {
      const imported: Deployment[] = [];
      const said: string[] = [];
      const pulumi = {
        findState: () => Promise.resolve(state(made)),
        importState: (each: Deployment) => Promise.resolve(void imported.push(each)),
      };
      await fixMade(made, pulumi, (line) => said.push(line));
      assert.deepEqual(
        imported.flatMap(resourcesOf).map(({ id }) => id),
        [
          ...[undefined, undefined],
          ...["kindows-prod-win-1", "kindows-prod-win-2", "kindows-prod-image-1"].map(
            (name) => `windows/${name}`,
          ),
        ],
      );
      assert.equal(said[0], "gone from its KubeVirt host: VirtualMachine kindows-prod-win-3");
      assert.deepEqual(deleted, [
        "virtualmachines/kindows-prod-old",
        "datavolumes/kindows-prod-image-2",
        "secrets/kindows-prod-win-1-identity",
      ]);
    }));

  const stateless = { "no state": undefined, "an empty state": deployment([]) };
  eachCase("are only listed with %s: they may be another's of the same name", stateless, (empty) =>
    withMade(async (made, deleted) => {
      const pulumi = {
        findState: () => Promise.resolve(empty),
        importState: () => Promise.resolve(),
      };
      const said: string[] = [];
      await fixMade(made, pulumi, (line) => said.push(line));
      assert.deepEqual(deleted, []);
      const byHand = "kubectl delete VirtualMachine kindows-prod-old --namespace windows";
      assert.ok(said.some((line) => line.startsWith("left alone: ") && line.includes(byHand)));
      const { findings } = await examineMade(made, []);
      assert.ok(findings.some(({ remedy }) => remedy.includes(byHand)));
    }),
  );

  it("leave all as it is where a run works on the stack", () =>
    withMade(async (made, deleted) => {
      const pulumi = {
        findState: () => Promise.resolve(state(made)),
        importState: () => Promise.reject(new Error("the stack is currently locked")),
      };
      await assert.rejects(fixMade(made, pulumi, assert.fail), /currently locked/);
      assert.deepEqual(deleted, []);
    }));
});
