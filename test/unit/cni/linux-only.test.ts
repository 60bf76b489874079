import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";

import { operatorDeployment } from "../../../components/cni/calico/operator-objects.ts";
import { calicoRelease } from "../../../components/cni/calico/release.ts";
import { flannelDaemonSet } from "../../../components/cni/flannel/flannel-objects.ts";

/** Workloads of a manifest in the node image, by what they are. */
function inNodeImage(manifest: string): (readonly [string, unknown])[] {
  const files = new URL("../../../components/controlplane/node-image/files/", import.meta.url);
  return parseAllDocuments(readFileSync(new URL(manifest, files), "utf8"))
    .map((document) => document.toJS() as { readonly kind?: string })
    .filter(({ kind }) => kind === "DaemonSet" || kind === "Deployment")
    .map((workload) => [`the ${workload.kind ?? ""} of ${manifest}`, workload]);
}

/** kindnet, CoreDNS and kube-proxy of kind's own images, and what the operator makes, have one by their makers. */
const workloads: readonly (readonly [string, unknown])[] = [
  ...inNodeImage("default-cni.yaml"),
  ...inNodeImage("default-storage.yaml"),
  ["Calico's operator", operatorDeployment(calicoRelease("3.32.1"))],
  ["Flannel", flannelDaemonSet("c")],
];

describe("pods for Linux", () => {
  it("are of the network, the storage, and two networks more", () => {
    assert.equal(workloads.length, 4);
  });

  for (const [name, workload] of workloads) {
    it(`never land on a Windows node: ${name}`, () => {
      const { spec } = workload as { spec: { template: { spec: Record<string, unknown> } } };
      assert.deepEqual(spec.template.spec["nodeSelector"], { "kubernetes.io/os": "linux" });
    });
  }
});
