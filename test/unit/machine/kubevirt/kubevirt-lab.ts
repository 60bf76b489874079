import assert from "node:assert/strict";
import { type Lab, labOf } from "../../../../components/machine/kubevirt/objects.ts";
import { resolveExisting } from "../../../../config/existing.ts";

const good = {
  kind: "kubevirt",
  namespace: "windows",
  storageClass: "fast",
  image: { kind: "http", url: "https://images.example.com/windows-2022.qcow2" },
  network: { multus: "windows/lan" },
  nodes: [{ name: "win-1" }, { name: "win-2" }],
};

export const labId = "0123456789abcdef";

/** Settings of a stack whose machines are made on KubeVirt. */
export function settingsWith(
  machine: object,
  others: object = {},
): ReturnType<typeof resolveExisting> {
  const sections = {
    cluster: { kubeconfig: { file: "/etc/kubernetes/admin.conf" } },
    machine: { ...good, ...machine },
    ...others,
  };
  return resolveExisting(sections, { file: "Pulumi.prod.yaml" });
}

export function labWith(machine: object = {}): Lab {
  const settings = settingsWith(machine).machine;
  assert.ok(settings !== undefined);
  return labOf(settings, "prod", labId);
}
