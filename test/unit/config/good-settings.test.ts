import assert from "node:assert/strict";
import { parse } from "yaml";
import { resolveSettings } from "../../../config/resolve.ts";
import type { Settings } from "../../../config/settings.ts";
import { eachCase } from "../each-case.ts";

/** Settings from YAML as below `config:`, without the prefix. */
function resolved(yaml: string, stack = "dev"): Settings {
  const written = (parse(yaml) ?? {}) as Record<string, unknown>;
  return resolveSettings(written, { stack, file: `Pulumi.${stack}.yaml` });
}

describe("good settings", () => {
  it("nothing written is a lab named after its stack, of one control plane and no node", () => {
    const { lab, network, windows, cluster, nodes, linuxNodes, placement } = resolved("", "mine");
    assert.deepEqual(
      [lab, network],
      [
        { name: "mine" },
        { cidr: "192.168.150.0/24", bridge: "kw-mine", domain: "mine.kindows.test" },
      ],
    );
    assert.equal(windows.containerdVersion, "2.3.4");
    assert.deepEqual([cluster.controlPlanes, cluster.workers], [1, []]);
    assert.deepEqual([nodes, linuxNodes, placement], [[], [], []]);
  });

  it("a node has what all have in common, and what it has of its own", () => {
    const { nodes } = resolved(`
      windows: { cpus: 4, memoryMiB: 8192, diskGiB: 80 }
      nodes:
        - name: win-1
        - name: win-2
          memoryMiB: 16384
          labels: { example.com/disk: fast, topology.kubernetes.io/zone: a, pool.node.kubernetes.io/x: "" }
          taints: [{ key: os, value: windows, effect: NoSchedule }, { key: os, effect: NoExecute }]
          kubeletArgs: { max-pods: "60", eviction-hard: "memory.available<200Mi" }
          nodeIp: 10.7.0.2
    `);
    const common = { os: "windows", cpus: 4, diskGiB: 80, hypervisor: "local" };
    assert.deepEqual(nodes, [
      {
        ...{ ...common, name: "win-1", address: "192.168.150.10", memoryMiB: 8192 },
        ...{ labels: {}, taints: [], kubeletArgs: {}, nodeIp: "192.168.150.10" },
      },
      {
        ...{ ...common, name: "win-2", address: "192.168.150.11", memoryMiB: 16384 },
        labels: {
          "example.com/disk": "fast",
          "topology.kubernetes.io/zone": "a",
          "pool.node.kubernetes.io/x": "",
        },
        taints: [
          { key: "os", value: "windows", effect: "NoSchedule" },
          { key: "os", value: "", effect: "NoExecute" },
        ],
        kubeletArgs: { "max-pods": "60", "eviction-hard": "memory.available<200Mi" },
        nodeIp: "10.7.0.2",
      },
    ]);
  });

  it("nodes are distinguished by their system; addresses are given to all of them in their order", () => {
    const { nodes, linuxNodes } = resolved(`
      linux: { memoryMiB: 3000 }
      nodes: [{ name: win-1 }, { name: linux-1, os: linux, diskGiB: 30 }, { name: win-2 }]
    `);
    const reported = [nodes, linuxNodes].map((some) =>
      some.map((one) => [one.name, one.address, one.cpus, one.memoryMiB, one.diskGiB].join(" ")),
    );
    assert.deepEqual(reported, [
      ["win-1 192.168.150.10 2 4096 60", "win-2 192.168.150.12 2 4096 60"],
      ["linux-1 192.168.150.11 2 3000 30"],
    ]);
  });

  const taken: Readonly<Record<string, string>> = {
    "a small Linux node, too small for Windows":
      "{ nodes: [{ name: linux-1, os: linux, memoryMiB: 1024, diskGiB: 8 }] }",
    "Calico as it is only without Windows nodes, beside a Linux machine":
      "{ cni: { calico: { bgp: Enabled } }, nodes: [{ name: linux-1, os: linux }] }",
    "one-letter names": "{ lab: { name: x }, nodes: [{ name: w }] }",
    "names of the greatest length":
      "{ lab: { name: integration1 }, nodes: [{ name: windows-node-01 }, { name: 1windows-node-2 }] }",
    "a longer lab name with a bridge of its own":
      "{ lab: { name: integration-tests-12 }, network: { bridge: kw_it-12 } }",
    "neighbouring ranges":
      "{ network: { cidr: 10.0.0.0/24 }, cluster: { podCidr: 10.0.16.0/20, serviceCidr: 10.0.1.0/24 } }",
    "a large segment":
      "{ network: { cidr: 10.8.0.0/16 }, nodes: [{ name: w, address: 10.8.0.99 }] }",
    "the smallest ranges that do":
      "{ cluster: { podCidr: 10.244.0.0/23, serviceCidr: 10.96.0.0/28 }, nodes: [{ name: w }] }",
    "the largest ranges": "{ cluster: { podCidr: 10.0.0.0/8, serviceCidr: 172.16.0.0/16 } }",
    "the range of Calico's HNS network, without Calico":
      "{ network: { cidr: 192.168.255.0/24 }, cni: { kind: kind-default } }",
    "Windows Server 2025 without Calico":
      '{ windows: { version: "2025" }, cni: { kind: kind-default } }',
    "Calico without Windows nodes as it likes":
      "{ cni: { calico: { encapsulation: VXLANCrossSubnet, bgp: Enabled, mtu: 1450, felix: { logSeverityScreen: Debug, routeRefreshInterval: 30s, iptablesMarkMask: 4294901760 } } } }",
    "Flannel without Windows nodes": "{ cni: { kind: flannel, flannel: { backend: host-gw } } }",
    "Flannel with Windows nodes, in VXLAN": "{ cni: { kind: flannel }, nodes: [{ name: w }] }",
    "Flannel in a rehearsal, where Windows pods have no network anyway":
      "{ windows: { image: { kind: rehearsal } }, cni: { kind: flannel }, nodes: [{ name: w }] }",
    "the first and the last address":
      "{ nodes: [{ name: a, address: 192.168.150.2 }, { name: b, address: 192.168.150.99 }] }",
    "three control planes and workers":
      "{ cluster: { controlPlanes: 3, workers: [{ name: worker-1 }, { name: control-plane4 }] } }",
    "the shortest and the longest token life": "{ cluster: { tokenTtlMinutes: 120 } }",
    "a node image by digest": `{ cluster: { nodeImage: "mirror.test:5000/kindest/node:v1.36.4@sha256:${"0a".repeat(32)}" } }`,
    "a node image built here": '{ cluster: { nodeImage: "kindest/node:kindows-0123456789ab" } }',
    "a disk of one's own": "{ windows: { image: { kind: disk, path: /srv/win.qcow2 } } }",
    "another account on a disk of one's own":
      "{ windows: { adminUser: admin, image: { kind: disk, path: /srv/win.qcow2 } } }",
    "the account of an image in other letters": "{ windows: { adminUser: administrator } }",
    "an ISO of one's own":
      '{ windows: { image: { kind: iso, path: /srv/w.iso, sha256: "AA", productKey: VDYBN-27WPP-V4HQT-9VMD4-VMK7H, edition: datacenter-desktop, language: sr-Latn-RS, firmware: uefi, drivers: { path: /srv/virtio.iso }, openSsh: { url: "https://example.com/OpenSSH-Win64.zip", sha256: "AA" }, update: { path: /srv/windows10.0-kb5044281-x64.msu } } } }'.replaceAll(
        "AA",
        "0a".repeat(32),
      ),
    "an evaluation in another language":
      '{ windows: { image: { kind: evaluation-iso, acceptLicence: true, language: de-DE, url: "https://example.com/w.iso", sha256: "AA" } } }'.replace(
        "AA",
        "0a".repeat(32),
      ),
    "a small rehearsal":
      "{ windows: { image: { kind: rehearsal }, memoryMiB: 1024, diskGiB: 4 }, cni: { kind: kind-default } }",
  };
  eachCase("takes %s", taken, (yaml) => assert.doesNotThrow(() => resolved(yaml)));

  it("gives a rehearsal the containerd its image holds", () => {
    const { windows } = resolved(
      "{ windows: { image: { kind: rehearsal } }, cni: { kind: kind-default } }",
    );
    assert.equal(windows.containerdVersion, "2.4.2");
  });
});
