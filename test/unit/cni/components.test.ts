import assert from "node:assert/strict";
import { podNetworks } from "../../../components/cni/registry.ts";
import type { PodNetwork } from "../../../components/cni/pod-network.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { controlPlaneFixture } from "../controlplane/fixture-node.ts";
import { record, type Resources } from "../controlplane/recorded-resources.ts";

const endpoint = JSON.stringify({ address: "192.168.150.128", port: 6443 });

/** A pod network as the settings have it, with the resources it is made of. */
async function made(written: object): Promise<{
  readonly network: PodNetwork;
  readonly cluster: unknown;
  readonly resources: Resources;
}> {
  const where = { stack: "x", file: "Pulumi.x.yaml" };
  const settings = resolveSettings(written as Record<string, unknown>, where);
  const { install } = await podNetworks[settings.cni.kind].components();
  const recorded = await record(
    () => endpoint,
    () => {
      const controlPlane = controlPlaneFixture();
      const network = install(controlPlane, settings);
      network.awaitOnWindows([]);
      return { network, cluster: controlPlane.resource };
    },
  );
  return { ...recorded.made, resources: recorded.resources };
}

const names = (resources: Resources): string[] =>
  [...resources.keys()].filter((key) => !/\/(cp|control-plane)$/.test(key)).sort();

describe("pod networks", () => {
  it("Calico: the API server's address, not its name, is what the operator gets", async () => {
    const { network, resources } = await made({ nodes: [{ name: "win-1" }] });
    assert.deepEqual(network.windows, { name: "Calico", endpoint: "Calico_ep" });
    const map = resources.get("kubernetes:core/v1:ConfigMap/tigera-operator-endpoint");
    assert.deepEqual(map?.inputs["data"], {
      KUBERNETES_SERVICE_HOST: "192.168.150.128",
      KUBERNETES_SERVICE_PORT: "6443",
    });
  });

  it("Calico: without Windows nodes nobody waits for it there", async () => {
    const { network, resources } = await made({});
    assert.equal(network.windows, undefined);
    assert.equal(names(resources).includes("command:local:Command/calico-windows"), false);
    const { spec } = resources.get("kubernetes:operator.tigera.io/v1:Installation/calico")
      ?.inputs as { spec: { calicoNetwork: { windowsDataplane: string } } };
    assert.equal(spec.calicoNetwork.windowsDataplane, "Disabled");
  });

  it("Flannel: its own objects, on Linux", async () => {
    const { network, resources } = await made({ cni: { kind: "flannel" } });
    assert.equal(network.windows, undefined);
    assert.deepEqual(names(resources), [
      "kindows:cni:Flannel/flannel",
      "kubernetes:apps/v1:DaemonSet/flannel",
      "kubernetes:core/v1:ConfigMap/flannel",
      "kubernetes:core/v1:Namespace/flannel",
      "kubernetes:core/v1:ServiceAccount/flannel",
      "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole/flannel",
      "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding/flannel",
    ]);
  });

  for (const [backend, name] of [
    ["vxlan", "flannel.4096"],
    ["host-gw", "cbr0"],
  ] as const) {
    it(`Flannel: with Windows nodes it may see the Nodes there, and kube-proxy its network: ${backend}`, async () => {
      const { network, resources } = await made({
        cni: { kind: "flannel", flannel: { backend } },
        nodes: [{ name: "win-1" }],
      });
      assert.deepEqual(network.windows, { name, endpoint: undefined });
      const own = names(resources).filter((key) => key.endsWith("/flannel-windows"));
      assert.deepEqual(own, [
        "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole/flannel-windows",
        "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding/flannel-windows",
      ]);
    });
  }

  it("Flannel: nothing of it on rehearsed Windows nodes", async () => {
    const { network, resources } = await made({
      cni: { kind: "flannel" },
      nodes: [{ name: "win-1" }],
      windows: { image: { kind: "rehearsal" } },
    });
    assert.equal(network.windows, undefined);
    assert.ok(!names(resources).some((key) => key.endsWith("/flannel-windows")));
  });

  it("kind's own: nothing is installed", async () => {
    const { network, resources, cluster } = await made({ cni: { kind: "kind-default" } });
    assert.equal(network.resource, cluster);
    assert.deepEqual(names(resources), []);
  });
});
