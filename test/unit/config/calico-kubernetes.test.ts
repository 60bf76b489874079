import assert from "node:assert/strict";
import { calicoTestedWith, calicoVersions } from "../../../components/cni/calico/release.ts";
import { calicoKubernetes } from "../../../components/cni/calico/settings.ts";
import { problemText } from "../../../config/problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";

const settings = resolveSettings({}, { stack: "x", file: "Pulumi.x.yaml" });

/** What is said of a Kubernetes version; the settings themselves only take pinned ones, which all fit. */
function saidOf(kubernetesVersion: string, kind: "calico" | "flannel" = "calico"): string[] {
  const cluster = { ...settings.cluster, kubernetesVersion };
  const cni = { ...settings.cni, kind };
  return calicoKubernetes(calicoTestedWith)
    .run({ ...settings, cluster, cni }, "Pulumi.x.yaml")
    .map(problemText);
}

describe("Kubernetes versions with Calico", () => {
  it("are those it is tested with", () => {
    assert.deepEqual(saidOf("1.36.4"), []);
    assert.deepEqual(saidOf("1.34.0"), []);
    assert.deepEqual(saidOf("1.37.0"), [
      'kindows:cluster.kubernetesVersion: "1.37.0" is not one that Calico 3.32.1 is tested with (1.34, 1.35, 1.36). Write one of 1.36, or choose another kindows:cni.calico.version or kindows:cni.kind.',
    ]);
  });

  it("are nobody's business without Calico", () =>
    assert.deepEqual(saidOf("1.37.0", "flannel"), []));

  it("are known for every pinned Calico", () => {
    for (const version of calicoVersions) {
      assert.ok(calicoTestedWith[version.replace(/\.\d+$/, "")]?.length, version);
    }
  });
});
