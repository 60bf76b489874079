import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";

import { operatorDeployment } from "../../../components/cni/calico/operator-objects.ts";
import { calicoRelease } from "../../../components/cni/calico/release.ts";
import { flannelDaemonSet } from "../../../components/cni/flannel/flannel-objects.ts";

interface Workload {
  readonly kind?: string;
  readonly spec?: {
    readonly template?: { readonly spec?: { readonly nodeSelector?: Record<string, string> } };
  };
}

function inNodeImage(manifest: string): [string, Workload][] {
  const files = new URL("../../../components/controlplane/node-image/files/", import.meta.url);
  const documents = parseAllDocuments(readFileSync(new URL(manifest, files), "utf8"));
  return documents
    .map((document) => document.toJS() as Workload)
    .filter(({ kind }) => kind === "DaemonSet" || kind === "Deployment")
    .map((workload) => [`the ${workload.kind ?? ""} of ${manifest}`, workload]);
}

const plain = (object: object): Workload => JSON.parse(JSON.stringify(object)) as Workload;

/** kindnet, CoreDNS and kube-proxy of kind's own images, and what the operator makes, have one by their makers. */
const workloads: readonly [string, Workload][] = [
  ...inNodeImage("default-cni.yaml"),
  ...inNodeImage("default-storage.yaml"),
  ["Calico's operator", plain(operatorDeployment(calicoRelease("3.32.1")))],
  ["Flannel", plain(flannelDaemonSet("c"))],
];

describe("pods for Linux", () => {
  it("are of the network, the storage, and two networks more", () => {
    assert.equal(workloads.length, 4);
  });

  for (const [name, workload] of workloads) {
    it(`never land on a Windows node: ${name}`, () => {
      const { nodeSelector } = workload.spec?.template?.spec ?? {};
      assert.equal(nodeSelector?.["kubernetes.io/os"], "linux");
    });
  }
});
