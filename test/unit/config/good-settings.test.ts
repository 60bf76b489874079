import assert from "node:assert/strict";
import { parse } from "yaml";

import { kubernetesLimits } from "../../../host/versions.ts";
import { calicoKubernetes } from "../../../components/cni/calico/settings.ts";
import { resolveExisting } from "../../../config/existing.ts";
import { problemText } from "../../../config/problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import type { Settings } from "../../../config/settings.ts";
import { stackSections } from "../../../config/stack-sections.ts";
import { ianaTimeZone, windowsTimeZone } from "../../../config/time-zones.ts";
import { eachCase } from "../each-case.ts";

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
        {
          cidr: "192.168.150.0/24",
          bridge: "kw-mine",
          mtu: 1500,
          dnsForwarders: [],
          fabric: "bridge",
          domain: "mine.kindows.test",
        },
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
        ...common,
        name: "win-1",
        address: "192.168.150.10",
        memoryMiB: 8192,
        labels: {},
        taints: [],
        kubeletArgs: {},
        nodeIp: "192.168.150.10",
      },
      {
        ...common,
        name: "win-2",
        address: "192.168.150.11",
        memoryMiB: 16384,
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
    "Calico as it is only without Windows nodes, beside a Linux machine":
      "{ cni: { calico: { bgp: Enabled } }, nodes: [{ name: linux-1, os: linux }] }",
    "names of the greatest length":
      "{ lab: { name: integration1 }, nodes: [{ name: windows-node-01 }, { name: 1windows-node-2 }] }",
    "a longer lab name with a bridge of its own":
      "{ lab: { name: integration-tests-12 }, network: { bridge: kw_it-12 } }",
    "neighbouring ranges":
      "{ network: { cidr: 10.0.0.0/24 }, cluster: { podCidr: 10.0.16.0/20, serviceCidr: 10.0.1.0/24 } }",
    "the smallest ranges that do":
      "{ cluster: { podCidr: 10.244.0.0/23, serviceCidr: 10.96.0.0/28 }, nodes: [{ name: w }] }",
    "the range of Calico's HNS network, without Calico":
      "{ network: { cidr: 192.168.255.0/24 }, cni: { kind: kind-default } }",
    "Calico without Windows nodes as it likes":
      "{ cni: { calico: { encapsulation: VXLANCrossSubnet, bgp: Enabled, mtu: 1450, felix: { logSeverityScreen: Debug, routeRefreshInterval: 30s, iptablesMarkMask: 4294901760 } } } }",
    "Flannel without Windows nodes": "{ cni: { kind: flannel, flannel: { backend: host-gw } } }",
    "Flannel with Windows nodes, in VXLAN": "{ cni: { kind: flannel }, nodes: [{ name: w }] }",
    "Flannel in a rehearsal, where Windows pods have no network anyway":
      "{ windows: { image: { kind: rehearsal } }, cni: { kind: flannel }, nodes: [{ name: w }] }",
    "three control planes and workers":
      "{ cluster: { controlPlanes: 3, workers: [{ name: worker-1 }, { name: control-plane4 }] } }",
    "a node image by digest":
      '{ cluster: { nodeImage: "mirror.test:5000/kindest/node:v1.36.4@sha256:SHA256" } }',
    "a version of which kind has an image": "{ cluster: { kubernetesVersion: 1.35.8 } }",
    "another one, with an image of one's own":
      '{ cluster: { kubernetesVersion: 1.35.1, nodeImage: "registry.test/node:v1.35.1" } }',
    "the newest, with a pod network that takes it":
      "{ cluster: { kubernetesVersion: 1.37.0 }, cni: { kind: flannel } }",
    "a node image without a digest": "{ cluster: { nodeImage: my/node:dev } }",
    "a node image built here": '{ cluster: { nodeImage: "kindest/node:kindows-0123456789ab" } }',
    "an ISO of one's own":
      '{ windows: { image: { kind: iso, path: /srv/w.iso, sha256: SHA256, productKey: VDYBN-27WPP-V4HQT-9VMD4-VMK7H, edition: datacenter-desktop, language: sr-Latn-RS, firmware: uefi, drivers: { path: /srv/virtio.iso }, openSsh: { url: "https://example.com/OpenSSH-Win64.zip", sha256: SHA256 }, update: { path: /srv/windows10.0-kb5044281-x64.msu } } } }',
    "an evaluation in another language":
      '{ windows: { image: { kind: evaluation-iso, acceptLicence: true, language: de-DE, url: "https://example.com/w.iso", sha256: SHA256 } } }',
  };
  const sha256 = "0a".repeat(32);
  eachCase("takes %s", taken, (yaml) =>
    assert.doesNotThrow(() => resolved(yaml.replaceAll("SHA256", sha256))),
  );

  it("gives a rehearsal the containerd its image holds", () => {
    const { windows } = resolved(
      "{ windows: { image: { kind: rehearsal } }, cni: { kind: kind-default } }",
    );
    assert.equal(windows.containerdVersion, "2.4.2");
  });
});

describe("Pulumi's configuration", () => {
  it("has sections below the project's name, which may be left out; those of other namespaces are left alone", () => {
    const { sections, others } = stackSections(
      {
        "kindows:cni": { kind: "calico" },
        lab: { name: "x" },
        "pulumi:tags": { owner: "me" },
        "kindow:nodes": [],
        "windows:memoryMiB": 4096,
        "kubernetes:context": "other",
        "aws:region": "eu-central-1",
      },
      "Pulumi.dev.yaml",
    );
    assert.deepEqual(sections, { cni: { kind: "calico" }, lab: { name: "x" } });
    assert.deepEqual(
      others.map(({ location, instead }) => [location, instead.split(/[.?]/)[0]]),
      [
        ["kindow:nodes", "Did you mean kindows:nodes"],
        ["windows:memoryMiB", "Leave it out"],
      ],
    );
  });
});

const file = "Pulumi.prod.yaml";

/** The public half of a key that nobody has, another one for each place. */
const key = (place: number): string => {
  const head = Buffer.from("\0\0\0\x0bssh-ed25519\0\0\0\x20", "latin1");
  return `ssh-ed25519 ${Buffer.concat([head, Buffer.alloc(32, place)]).toString("base64")}`;
};

describe("good settings of existing machines", () => {
  const hostKey = key(1);

  const resolved = (kubeconfig: object, login: object, node: object) =>
    resolveExisting(
      {
        cluster: { kubeconfig },
        login: { privateKeyFile: "/home/me/key", ...login },
        nodes: [{ name: "win-1", address: "10.0.0.11", hostKey, ...node }],
      },
      { file },
    );

  it("a machine has what all have in common, and what it has of its own", () => {
    const bastion = { address: "jump.example.com", user: "jump", hostKey: `${hostKey} jump` };
    const { nodes, windows, cluster } = resolved(
      { text: "apiVersion: v1", context: "prod" },
      { port: 2222 },
      { bastions: [bastion], labels: { a: "b" } },
    );
    assert.equal(cluster.kubernetesVersion, "1.36.4");
    assert.equal(windows.containerdVersion, "2.3.4");
    assert.deepEqual(JSON.parse(JSON.stringify(nodes)), [
      {
        name: "win-1",
        os: "windows",
        mayRename: false,
        hostKey,
        labels: { a: "b" },
        taints: [],
        address: "10.0.0.11",
        nodeIp: "10.0.0.11",
        kubeletArgs: {},
        login: {
          user: "Administrator",
          port: 2222,
          privateKeyFile: "/home/me/key",
          bastions: [{ ...bastion, port: 22, privateKeyFile: "/home/me/key" }],
        },
      },
    ]);
  });
});

describe("the port of several bastions", () => {
  const bastion = (place: number): object => ({
    address: `10.9.0.${place}`,
    user: "jump",
    hostKey: key(100 + place),
  });
  const both = [bastion(1), bastion(2)];
  const ports = (login: object, nodes: readonly object[], stack = file): (number | undefined)[] =>
    resolveExisting(
      {
        cluster: { kubeconfig: { file: "/etc/kube.conf" } },
        login: { privateKeyFile: "/home/me/key", ...login },
        nodes: nodes.map((node, index) => ({
          name: `win-${index}`,
          address: `10.0.0.${index + 1}`,
          hostKey: key(index),
          ...node,
        })),
      },
      { file: stack },
    ).nodes.map((node) => node.login.forwardPort);

  it("is the same in each run, and for all machines behind the same bastions", () => {
    const [one, other] = ports({ bastions: both }, [{}, {}]);
    assert.equal(one, other);
    assert.deepEqual(ports({ bastions: both }, [{}]), [one]);
    assert.ok(one !== undefined && one >= 20_000 && one < 30_000, String(one));
  });

  it("is another one behind others, with another key file, and in another stack", () => {
    const own = { bastions: [bastion(1), bastion(3)] };
    const [one] = ports({ bastions: both }, [{}]);
    const others = [
      ...ports({}, [own, { bastions: [...both].reverse() }]),
      ...ports({ bastions: both, privateKeyFile: "/home/me/other" }, [{}]),
      ...ports({ bastions: both }, [{}], "Pulumi.test.yaml"),
    ];
    assert.equal(new Set([one, ...others]).size, 5);
  });

  it("is what is written, where it is; that of all is not for bastions of its own", () => {
    const login = { bastions: both, forwardPort: 20_001 };
    const own = { bastions: [bastion(1), bastion(3)] };
    const [all, one, derived] = ports(login, [{}, { ...own, forwardPort: 20_002 }, {}]);
    assert.deepEqual([all, one, derived], [20_001, 20_002, 20_001]);
    assert.notEqual(ports(login, [own])[0], 20_001);
  });
});

const settings = resolveSettings({}, { stack: "x", file: "Pulumi.x.yaml" });

/** What is said of a Kubernetes version. */
function saidOf(kubernetesVersion: string, kind: "calico" | "flannel" = "calico"): string[] {
  const cluster = { ...settings.cluster, kubernetesVersion };
  const cni = { ...settings.cni, kind };
  return calicoKubernetes(kubernetesLimits.calico)
    .run({ ...settings, cluster, cni }, "Pulumi.x.yaml")
    .map((problem) => problemText({ value: kubernetesVersion, ...problem }));
}

describe("Kubernetes versions with Calico", () => {
  it("are those it is tested with", () => {
    assert.deepEqual(saidOf("1.36.4"), []);
    assert.deepEqual(saidOf("1.34.0"), []);
    assert.deepEqual(saidOf("1.37.0"), [
      'kindows:cluster.kubernetesVersion: "1.37.0" is not one that Calico 3.32 is tested with (1.34 to 1.36). Write one of 1.36, or choose another kindows:cni.kind.',
    ]);
  });
});

describe("Windows' names of time zones", () => {
  it("are known for every zone of IANA's that Windows has, by its old names too", () => {
    const without = Intl.supportedValuesOf("timeZone").filter((zone) => !windowsTimeZone(zone));
    assert.deepEqual(without, ["Antarctica/Troll"]);
    const named = ["UTC", "Europe/Berlin", "Europe/Kyiv", "Europe/Kiev"].map(windowsTimeZone);
    const kyiv = "FLE Standard Time";
    assert.deepEqual(named, ["UTC", "W. Europe Standard Time", kyiv, kyiv]);
    assert.deepEqual(["Berlin", ""].map(windowsTimeZone), [undefined, undefined]);
  });

  it("lead back to a zone of IANA's", () =>
    assert.deepEqual(["W. Europe Standard Time", "Europe/Berlin"].map(ianaTimeZone), [
      "Europe/Berlin",
      undefined,
    ]));
});
