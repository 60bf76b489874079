import assert from "node:assert/strict";
import { instanceState } from "../../../components/machine/kubevirt/instance-state.ts";
import { running } from "../../../components/machine/kubevirt/kubevirt-machines.ts";
import { LabWatch } from "../../../components/machine/kubevirt/lab-watch.ts";
import {
  goldenImage,
  identityMetadata,
  type Lab,
  virtualMachine,
} from "../../../components/machine/kubevirt/objects.ts";
import { clusterProblems } from "../../../components/machine/kubevirt/readiness.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { labWith } from "../../unit/machine/kubevirt/kubevirt-lab.ts";
import { ApiServer } from "../plugins/support/api-server.ts";
import { KubeVirtStandIn } from "./stand-in.ts";

const nodes = (count: number): object => ({
  nodes: Array.from({ length: count }, (_, index) => ({ name: `win-${index + 1}` })),
});

describe("machines on KubeVirt's stand-in, waited for", () => {
  let server: ApiServer;
  let standIn: KubeVirtStandIn;
  let started = 0;

  /** What was said before there were definitions. */
  let problems: readonly string[];

  before(async () => {
    server = await ApiServer.start();
    const api = new ClusterApi(server.kubeconfig);
    problems = (await clusterProblems(api, lab)).map(({ subject, why }) => `${subject} ${why}`);
    standIn = await KubeVirtStandIn.begin(server.kubeconfig, () => {
      started += 1;
      return Promise.resolve({ address: `192.0.2.${started}`, stop: () => Promise.resolve() });
    });
  });
  after(async () => {
    await standIn.end();
    await server.stop();
  });

  /** Makes a lab's objects, as the program does. */
  async function make(lab: Lab): Promise<void> {
    const apply = (path: string, body: object) => standIn.api.apply(path, body);
    const importer = "cdi.kubevirt.io/v1beta1";
    const golden = goldenImage(lab);
    if (golden !== undefined) {
      const path = `/apis/${importer}/namespaces/windows/datavolumes/${golden.metadata.name}`;
      await apply(path, { apiVersion: importer, kind: "DataVolume", ...golden });
    }
    for (const [index, { name }] of lab.machine.nodes.entries()) {
      const metadata = identityMetadata(lab, name);
      const data = { userdata: Buffer.from("#cloud-config\n").toString("base64") };
      const secret = { apiVersion: "v1", kind: "Secret", metadata, data };
      await apply(`/api/v1/namespaces/windows/secrets/${metadata.name}`, secret);
      const machine = virtualMachine(lab, { name }, `52:54:00:00:00:${10 + index}`);
      await apply(
        `/apis/kubevirt.io/v1/namespaces/windows/virtualmachines/${machine.metadata.name}`,
        { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", ...machine },
      );
    }
  }

  async function remove(): Promise<void> {
    for (const kind of ["virtualmachines", "virtualmachineinstances"]) {
      await standIn.api.delete(`/apis/kubevirt.io/v1/namespaces/windows/${kind}`);
    }
    await standIn.api.delete("/apis/cdi.kubevirt.io/v1beta1/namespaces/windows/datavolumes");
  }

  const lab = labWith(nodes(1));
  const [node] = lab.machine.nodes;
  assert.ok(node !== undefined);

  it("tells of a storage that is full in the cluster's own words", async () => {
    standIn.faults.add("image");
    const watch = await LabWatch.open(standIn.api, lab);
    await make(lab);
    await new Promise<void>((resolve, reject) => {
      const tell = (seen: string): void => {
        if (/^its image is ImportIn.*: Error: .*no space left on device$/.test(seen)) resolve();
      };
      running(lab, node, watch, tell, 90).then(() => reject(new Error("it runs")), reject);
    });
    standIn.faults.clear();
    await remove();
  });

  it("is told that KubeVirt and CDI are not there, and nothing else", async () => {
    const absent = "is not in the cluster for the machines";
    assert.deepEqual(problems, [`KubeVirt ${absent}`, `CDI ${absent}`]);
    assert.deepEqual(await clusterProblems(standIn.api, lab), []);
  });

  it("adds the cluster's warnings about them", async () => {
    standIn.faults.add("image");
    await make(lab);
    const namespace = "windows";
    const claim = { kind: "PersistentVolumeClaim", name: goldenImage(lab)?.metadata.name };
    await standIn.api.post("/api/v1/namespaces/windows/events", {
      metadata: { name: "full", namespace },
      involvedObject: { ...claim, namespace },
      type: "Warning",
      reason: "ProvisioningFailed",
      message: "pool fast is full",
    });
    const watch = await LabWatch.open(standIn.api, lab);
    await assert.rejects(
      running(lab, node, watch, () => undefined, 3),
      /^Error: waited 3 s for the image (kindows-prod-image-\w+); last seen: .*; PersistentVolumeClaim \1: pool fast is full$/,
    );
    standIn.faults.clear();
    await remove();
  });

  it("does not wait long for one that somebody has removed", async () => {
    const cloned = labWith({ ...nodes(1), image: { kind: "pvc", name: "golden" } });
    const watch = await LabWatch.open(standIn.api, cloned);
    await assert.rejects(
      running(cloned, node, watch, () => undefined, 3),
      /^Error: waited 3 s for the VirtualMachine kindows-prod-win-1; last seen: there is none\. If it was removed, `kindows doctor --fix` /,
    );
  });

  it("tells of one that was shut down as its host is drained, until it runs somewhere else", async () => {
    const drained = labWith({ ...nodes(1), evictionStrategy: "None" });
    const watch = await LabWatch.open(standIn.api, drained);
    await make(drained);
    const name = "kindows-prod-win-1";
    await running(drained, node, watch, () => undefined, 60);
    const wait = { what: "its end", seconds: 60, onChange: () => undefined };
    const seen = watch.until(wait, [name], (objects) => {
      const state = instanceState(objects, name, undefined);
      return typeof state === "string" ? { found: state } : "it runs";
    });
    await standIn.evict(name);
    assert.equal(await seen, "its instance is Succeeded");
    assert.match(await running(drained, node, watch, () => undefined, 60), /^192\.0\.2\./);
    await remove();
  });

  it("tells the address of one that was killed and runs again", async () => {
    const watch = await LabWatch.open(standIn.api, lab);
    await make(lab);
    const first = await running(lab, node, watch, () => undefined, 60);
    await standIn.kill("kindows-prod-win-1");
    const later = await LabWatch.open(standIn.api, lab);
    const second = await running(lab, node, later, () => undefined, 60);
    assert.match(`${first} ${second}`, /^192\.0\.2\.\d+ 192\.0\.2\.\d+$/);
    await remove();
  });
});
