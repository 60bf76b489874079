import assert from "node:assert/strict";

import { resolveSettings } from "../../../config/resolve.ts";
import { onLinuxNodes, pulledImages } from "../../../stacks/pulled-images.ts";
import { eachCase } from "../each-case.ts";

const linux = process.arch === "x64" ? "linux/amd64" : `linux/${process.arch}`;
const win = { nodes: [{ name: "win-1" }] };
const rehearsal = { windows: { image: { kind: "rehearsal" } } };
const disk = { windows: { image: { kind: "disk", path: "/srv/windows.qcow2" } } };
const iso = { windows: { image: { kind: "iso", path: "/srv/windows.iso" } } };
const none = { ...rehearsal, nodes: [] };

const official = (settings: ReturnType<typeof resolve>): string =>
  settings.cluster.nodeImage ?? pulledImages(settings, {})[0]?.image ?? "";

const calicoOnLinux = [
  "quay.io/tigera/operator:v1.42.3",
  ...["apiserver", "cni", "csi", "kube-controllers", "node", "node-driver-registrar"].map(
    (name) => `quay.io/calico/${name}:v3.32.1`,
  ),
  "quay.io/calico/pod2daemon-flexvol:v3.32.1",
  "quay.io/calico/typha:v3.32.1",
];
const flannelOnLinux = [
  "ghcr.io/flannel-io/flannel:v0.28.9",
  "ghcr.io/flannel-io/flannel-cni-plugin:v1.9.1-flannel3",
];
const windowsItself = [
  "registry.k8s.io/pause:3.10.2",
  "docker.io/sigwindowstools/kube-proxy:v1.36.4-calico-hostprocess",
];
const calicoOnWindows = [
  "quay.io/calico/cni-windows:v3.32.1",
  "quay.io/calico/node-windows:v3.32.1",
];

const resolve = (written: object) =>
  resolveSettings(written as Record<string, unknown>, { stack: "x", file: "Pulumi.x.yaml" });

/** What is pulled on the nodes, by their names. */
const cases: Readonly<
  Record<string, readonly [settings: object, images: Readonly<Record<string, readonly string[]>>]>
> = {
  "kind's own network": [{ ...none, cni: { kind: "kind-default" } }, {}],
  Calico: [none, { "kindows-x-control-plane": calicoOnLinux }],
  Flannel: [{ ...none, cni: { kind: "flannel" } }, { "kindows-x-control-plane": flannelOnLinux }],
  "three control planes, a worker and a Linux machine": [
    {
      ...rehearsal,
      cni: { kind: "flannel" },
      cluster: { controlPlanes: 3, workers: [{ name: "worker-1" }] },
      nodes: [{ name: "linux-1", os: "linux" }],
    },
    Object.fromEntries(
      ["control-plane", "control-plane2", "control-plane3", "worker-1"]
        .map((name) => [`kindows-x-${name}`, flannelOnLinux])
        .concat([["linux-1", flannelOnLinux]]),
    ) as Record<string, readonly string[]>,
  ],
  "a rehearsed Windows node": [
    { ...rehearsal, ...win },
    { "kindows-x-control-plane": calicoOnLinux },
  ],
  "Windows nodes from a disk": [
    { ...disk, nodes: [{ name: "win-1" }, { name: "win-2" }] },
    {
      "kindows-x-control-plane": calicoOnLinux,
      "win-1": [...windowsItself, ...calicoOnWindows],
      "win-2": [...windowsItself, ...calicoOnWindows],
    },
  ],
  "Windows nodes from an ISO": [
    { ...iso, nodes: [{ name: "win-1" }, { name: "win-2" }] },
    {
      "kindows-x-control-plane": calicoOnLinux,
      "(Windows image)": [...windowsItself, ...calicoOnWindows],
    },
  ],
  "Windows nodes without a pod network, and an own kube-proxy": [
    {
      ...win,
      cni: { kind: "kind-default" },
      windows: { ...disk.windows, kubeProxyImage: "registry.example.com/kube-proxy:v1.36.4" },
    },
    { "win-1": [windowsItself[0] ?? "", "registry.example.com/kube-proxy:v1.36.4"] },
  ],
  "no Windows node, and an ISO": [{ ...iso, nodes: [], cni: { kind: "kind-default" } }, {}],
};

describe("the images that a stack pulls", () => {
  eachCase("%s", cases, ([written, images]) => {
    const pulled = pulledImages(resolve(written), {}).filter(({ node }) => node !== "(Docker)");
    const nodes = [...new Set(pulled.map(({ node }) => node))];
    assert.deepEqual(
      Object.fromEntries(
        nodes.map((one) => [
          one,
          pulled.filter(({ node }) => node === one).map(({ image }) => image),
        ]),
      ),
      images,
    );
    for (const { node, platform } of pulled) {
      assert.equal(platform, /^win-|Windows/.test(node) ? "windows/amd64" : linux, node);
    }
  });

  it("of Linux nodes are those that archives may have", () => {
    const settings = resolve({ ...disk, ...win });
    assert.deepEqual([...new Set(onLinuxNodes(settings).map(({ image }) => image))], calicoOnLinux);
  });

  it("are kind's own for Docker, unless they were built here", () => {
    const settings = resolve({ ...none, cluster: { controlPlanes: 3 } });
    const inDocker = (built: Parameters<typeof pulledImages>[1]): readonly string[] =>
      pulledImages(settings, built)
        .filter(({ node }) => node === "(Docker)")
        .map(({ image }) => image);
    assert.match(official(settings), /^kindest\/node:v1\.36\.4@sha256:/);
    const loadBalancer = "docker.io/envoyproxy/envoy:v1.36.2";
    assert.deepEqual(inDocker({}), [official(settings), loadBalancer]);
    const built = (reference: string) => ({ reference, archive: "/x.tar" });
    const nodeImage = built("kindest/node:kindows-0123456789ab");
    assert.deepEqual(inDocker({ nodeImage }), [loadBalancer]);
    assert.deepEqual(inDocker({ nodeImage, loadBalancerImage: built(loadBalancer) }), []);
  });

  it("are the registry's too, if the lab has one", () => {
    const settings = resolve({ ...none, registry: true });
    const registry = "docker.io/library/registry:3.0.0";
    const built = (reference: string) => ({ reference, archive: "/x.tar" });
    const inDocker = (registryImage?: ReturnType<typeof built>): readonly string[] =>
      pulledImages(settings, { nodeImage: built("x"), registryImage })
        .filter(({ node }) => node === "(Docker)")
        .map(({ image }) => image);
    assert.deepEqual([inDocker(), inDocker(built(registry))], [[registry], []]);
  });
});
