import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { V1EndpointSlice } from "@kubernetes/client-node";
import type * as pulumi from "@pulumi/pulumi";
import { parseAllDocuments } from "yaml";

import { Calico, operatorObjects } from "../../../components/cni/calico/calico.ts";
import { calicoRelease } from "../../../components/cni/calico/release.ts";
import { netConf, windowsCniConf } from "../../../components/cni/flannel/flannel-config.ts";
import { flannelObjects, windowsAccess } from "../../../components/cni/flannel/flannel.ts";
import type { ControlPlane } from "../../../components/controlplane/control-plane.ts";
import { publishedAddress } from "../../../host/kubernetes/endpoint-slices.ts";
import { podNetworks } from "../../../components/cni/pod-networks.ts";
import { accessObjects } from "../../../components/cni/windows-access.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { controlPlaneFixture, joinedNode } from "../controlplane/fixture-node.ts";
import { assertGolden, yamlText } from "../controlplane/golden.ts";
import {
  look,
  record,
  type Recorded,
  type Resources,
  revealed,
} from "../controlplane/recorded-resources.ts";

const endpoint = JSON.stringify({ address: "192.168.150.128", port: 6443 });

/** A pod network as the settings have it, with the resources it is made of. */
async function made(written: object) {
  const where = { stack: "x", file: "Pulumi.x.yaml" };
  const settings = resolveSettings(written as Record<string, unknown>, where);
  const { install } = await podNetworks[settings.cni.kind].components();
  const recorded = await record(
    () => endpoint,
    () => {
      const controlPlane = controlPlaneFixture();
      const network = install(controlPlane, settings, {});
      network.awaitOnWindows?.([joinedNode()]);
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

  it("Calico: without Windows nodes it has nothing of Windows, and nobody waits for it there", async () => {
    const bgp = { encapsulation: "VXLANCrossSubnet", bgp: "Enabled" };
    const { network, resources } = await made({ cni: { calico: bgp } });
    assert.equal(network.windows, undefined);
    assert.equal(names(resources).includes("command:local:Command/calico-windows"), false);
    const { spec } = resources.get("kubernetes:operator.tigera.io/v1:Installation/calico")
      ?.inputs as { spec: { calicoNetwork: Record<string, unknown>; windowsNodes?: object } };
    assert.equal(spec.calicoNetwork["windowsDataplane"], "Disabled");
    assert.equal(spec.calicoNetwork["bgp"], "Enabled");
    // The operator refuses its folders then.
    assert.equal(spec.windowsNodes, undefined);
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

  it("kind's own: nothing is installed", async () => {
    const { network, resources, cluster } = await made({ cni: { kind: "kind-default" } });
    assert.equal(network.resource, cluster);
    assert.deepEqual(names(resources), []);
  });
});

const cluster = "Anything control-plane";
const operator = "Deployment tigera-operator";
const linux = "Command calico-linux";

/** What is waited for, by the resource that waits, each with its type's last part. */
const waits: Readonly<Record<string, readonly string[]>> = {
  "Command calico-definitions": [cluster],
  "Command calico-endpoint": [cluster],
  "Namespace tigera-operator": [],
  "ServiceAccount tigera-operator": ["Namespace tigera-operator"],
  "ClusterRoleBinding tigera-operator": [],
  "ConfigMap tigera-operator-endpoint": ["Namespace tigera-operator"],
  // It reads the address of the API server when it starts.
  [operator]: [
    ...["Command calico-definitions", "ServiceAccount tigera-operator"],
    ...["ClusterRoleBinding tigera-operator", "ConfigMap tigera-operator-endpoint"],
  ],
  // After the operator: an older one would not know what a newer Installation says.
  "Installation calico": [operator],
  "APIServer calico-apiserver": ["Installation calico"],
  [linux]: [cluster, "Installation calico", "APIServer calico-apiserver"],
  "Command calico-configuration": [cluster, linux],
  "Command calico-windows": ["Command calico-configuration", "Anything win-1"],
};

describe("Calico's resources", () => {
  const network = { encapsulation: "VXLAN", bgp: "Disabled", windows: true, mtu: 1400 } as const;
  let resources: Resources;
  let controlPlane: ControlPlane;

  before(async () => {
    const release = calicoRelease("3.32.1");
    const configuration = { felix: { bpfLogLevel: "Info" } };
    ({ resources, made: controlPlane } = await record(
      () => endpoint,
      (opts) => {
        const controlPlane = controlPlaneFixture();
        const args = { controlPlane, release, network, configuration };
        new Calico("calico", args, opts).awaitOnWindows([joinedNode()]);
        return controlPlane;
      },
    ));
  });

  const shortName = (type: string, name: string): string => `${type.split(":").at(-1)} ${name}`;
  const own = (): readonly (readonly [string, Recorded])[] =>
    [...resources]
      .filter(([key]) => !/^kindows:|\/(cp|control-plane|win-1)$/.test(key))
      .map(([key, each]) => {
        const at = key.lastIndexOf("/");
        return [shortName(key.slice(0, at), key.slice(at + 1)), each] as const;
      });

  it("wait for each other", async () => {
    const found: Record<string, string[]> = {};
    for (const [name, { opts }] of own()) {
      const needed = [opts.dependsOn ?? []].flat() as pulumi.Resource[];
      found[name] = await Promise.all(
        needed.map(async ({ urn }) => {
          const [types = "", last = ""] = (await look(urn)).value.split("::").slice(-2);
          return shortName(types, last);
        }),
      );
    }
    assert.deepEqual(found, waits);
  });

  it("all go with the cluster, and come again with a new one", () => {
    for (const [name, { opts }] of own()) {
      assert.equal(opts.deletedWith, controlPlane.resource, name);
      assert.deepEqual(opts.replaceWith, [controlPlane.resource], name);
    }
  });

  it("wait as long as they are asked to, and the engine a little longer", () => {
    const limits = Object.fromEntries(
      own().flatMap(([name, { opts }]) => {
        const { create, update } = opts.customTimeouts ?? {};
        assert.equal(create, update, name);
        return create === undefined ? [] : [[name, create]];
      }),
    );
    assert.deepEqual(limits, {
      "Command calico-definitions": "300s",
      "Command calico-endpoint": "300s",
      [operator]: "600s",
      [linux]: "1260s",
      "Command calico-configuration": "1260s",
      "Command calico-windows": "1560s",
    });
    const variables = (suffix: string): Readonly<Record<string, string>> => {
      const { inputs } = resources.get(`command:local:Command/calico-${suffix}`) ?? assert.fail();
      return revealed(inputs["environment"]) as Readonly<Record<string, string>>;
    };
    const reported = (suffix: string): unknown => JSON.parse(variables(suffix)["CALICO"] ?? "");
    const [ippools, calico, apiserver] = ["installations", "installations", "apiservers"];
    const common = { version: "3.32.1", network, timeoutSeconds: 1200 };
    assert.deepEqual(reported("linux"), {
      ...common,
      components: { ippools, calico, apiserver },
    });
    const { DAEMON_SET = "", JOIN_IDS } = variables("windows");
    assert.deepEqual(JSON.parse(DAEMON_SET), {
      ...{ namespace: "calico-system", name: "calico-node-windows", nodes: ["win-1"] },
      ...{ version: { calico: "3.32.1", network }, timeoutSeconds: 1500 },
    });
    assert.equal(JOIN_IDS, "abcdef");
    assert.deepEqual(reported("configuration"), {
      felix: { bpfLogLevel: "Info" },
      timeoutSeconds: 1200,
    });
  });
});

const here = new URL(import.meta.url);

describe("Flannel's objects", () => {
  // flannel's pkg/backend/vxlan/vxlan_windows.go refuses another port, and a VNI below 4096, which HNS does not take.
  it("have the one port and the least VNI that Windows takes", () => {
    assert.deepEqual(netConf("10.1.0.0/16", "vxlan"), {
      Network: "10.1.0.0/16",
      EnableNFTables: false,
      Backend: { Type: "vxlan", VNI: 4096, Port: 4789 },
    });
  });

  it("have plain routes where these are asked for", () => {
    assert.deepEqual(netConf("10.1.0.0/16", "host-gw"), {
      Network: "10.1.0.0/16",
      EnableNFTables: false,
      Backend: { Type: "host-gw" },
    });
  });

  it("let a Windows node's flanneld see the Nodes, with kubelet's credentials and no more", () => {
    const { role, binding } = accessObjects(windowsAccess);
    assertGolden(here, "flannel-windows.yaml", yamlText(role, binding));
  });

  it("have a CNI configuration for Windows nodes, by backend", () => {
    const network = { podCidr: "10.244.0.0/16", serviceCidr: "10.96.0.0/16" };
    const files = (["vxlan", "host-gw"] as const).map((backend) =>
      windowsCniConf({ ...network, backend, nodeCidr: "192.168.150.0/24" }, "192.168.150.10"),
    );
    assertGolden(here, "flannel-windows-cni.yaml", yamlText(...files));
  });
});

function inNodeImage(manifest: string): (readonly [string, unknown])[] {
  const files = new URL("../../../images/node/files/", import.meta.url);
  return parseAllDocuments(readFileSync(new URL(manifest, files), "utf8"))
    .map((document) => document.toJS() as { readonly kind?: string })
    .filter(({ kind }) => kind === "DaemonSet" || kind === "Deployment")
    .map((workload) => [`the ${workload.kind ?? ""} of ${manifest}`, workload]);
}

/** kindnet, CoreDNS and kube-proxy of kind's own images, and what the operator makes, have one by their makers. */
const workloads: readonly (readonly [string, unknown])[] = [
  ...inNodeImage("default-cni.yaml"),
  ...inNodeImage("default-storage.yaml"),
  ["Calico's operator", operatorObjects(calicoRelease("3.32.1"), {}).Deployment],
  ["Flannel", flannelObjects({ netConf: {}, cniConf: {} }).DaemonSet],
];

describe("pods for Linux", () => {
  for (const [name, workload] of workloads) {
    it(`never land on a Windows node: ${name}`, () => {
      const { spec } = workload as { spec: { template: { spec: Record<string, unknown> } } };
      assert.deepEqual(spec.template.spec["nodeSelector"], { "kubernetes.io/os": "linux" });
    });
  }
});

const slice = (addresses: readonly string[], changes: object = {}): V1EndpointSlice => ({
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address] })),
  ports: [{ name: "https", port: 6443 }],
  ...changes,
});

const found = (...items: readonly V1EndpointSlice[]) => publishedAddress(items);

describe("the API server's own address", () => {
  it("is the lowest of several, so that it stays the same", () => {
    assert.deepEqual(found(slice(["192.168.150.130", "192.168.150.129", "192.168.150.9"])), {
      address: "192.168.150.9",
      port: 6443,
    });
  });

  it("is an IPv4 one at the port for https", () => {
    assert.equal(found(slice(["fd00::1"], { addressType: "IPv6" })), undefined);
    assert.equal(
      found(slice(["192.168.150.9"], { ports: [{ name: "other", port: 1 }] })),
      undefined,
    );
    assert.equal(found(), undefined);
  });
});
