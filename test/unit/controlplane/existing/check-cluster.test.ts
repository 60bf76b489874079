import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { hostProblemText } from "../../../../config/host-problem.ts";
import {
  checkCluster,
  type ClusterCheck,
  type WantedCluster,
} from "../../../../components/controlplane/existing/check-cluster.ts";
import { fixture } from "../fixture-kubeconfig.ts";
import { assertSaid } from "../golden.ts";
import { answers, away, clusterInfo, configMap, daemonSet, withFlannel } from "./answers.ts";

const wanted: WantedCluster = {
  kubernetesVersion: "1.36.4",
  cni: { kind: "found", mayChange: false },
  nodes: [{ name: "win-1", nodeIp: "192.0.2.11" }],
};

const here = new URL(import.meta.url);

const onSystems = (...values: readonly string[]): object => ({
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: "kubernetes.io/os", operator: "In", values }] },
    ],
  },
});
const onLinux = onSystems("linux");

/** A Node as the API server gives it. */
const node = (name: string, os: string, address: string): object => ({
  metadata: { name, labels: { "kubernetes.io/os": os } },
  status: { addresses: [{ type: "InternalIP", address }], nodeInfo: { osImage: os } },
});

/** Answers of a cluster that are not a good one's, and what else is not as usual. */
interface Case {
  readonly [question: string]: unknown;
  readonly denied?: readonly string[];
  readonly wanted?: Partial<WantedCluster>;
}

const checked = ({ denied, wanted: other, ...given }: Case): ClusterCheck =>
  checkCluster(answers(given, denied), { ...wanted, ...other });

/** kube-proxy's DaemonSet for Windows. */
const windowsKubeProxy = (annotations = {}): object => {
  const nodeSelector = { "kubernetes.io/os": "windows" };
  return { items: [daemonSet("kube-proxy-windows", { nodeSelector }, annotations)] };
};
/** What Flannel is configured with. */
const netConf = (text: string): object => configMap({ "net-conf.json": text });
const flannelWith = (text: string): Case => ({ ...withFlannel, flannelConfig: netConf(text) });
/** What Flannel needs to know. */
const nodeCidr = { wanted: { cni: { ...wanted.cni, nodeCidr: "10.0.0.0/24" } } };

const hybridEnvironment = [
  { name: "OVN_HYBRID_OVERLAY_ENABLE", value: "true" },
  { name: "OVN_HYBRID_OVERLAY_NET_CIDR", value: "10.132.0.0/14/23" },
];

/** OVN-Kubernetes whose pods have a container like this, with its part of the overlay up on its one node. */
function ovn(container: object): Case {
  const spec = { nodeSelector: { "kubernetes.io/os": "linux" }, containers: [container] };
  const labels = { "kubernetes.io/os": "linux" };
  const mac = { "k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac": "0a:58:0a:f4:00:03" };
  const program = { path: "/srv/hybrid-overlay-node.exe", sha256: "a".repeat(64) };
  return {
    installation: undefined,
    daemonSets: { items: [daemonSet("kube-proxy"), daemonSet("ovnkube-node", spec)] },
    nodes: { items: [{ metadata: { name: "cp-1", labels, annotations: mac }, status: {} }] },
    wanted: { cni: { ...wanted.cni, hybridOverlay: program } },
  };
}

function factsOf(one: Case): object {
  const result = checked(one);
  assert.ok("facts" in result, JSON.stringify(result));
  return result.facts;
}

/** What kubeadm has written down of its cluster. */
const kubeadm = (text: string): Case => ({
  kubeadmConfig: configMap({ ClusterConfiguration: text }),
});
const vxlan = { vxlanMode: "Always" };
const version = (gitVersion: string): Case => ({ version: { gitVersion } });
const nodes = (...items: readonly object[]): Case => ({ nodes: { items } });
const machineAt = (nodeIp: string): Case => ({ wanted: { nodes: [{ name: "win-1", nodeIp }] } });
const pool = (spec: object): object => ({ items: [{ metadata: { name: "default" }, spec }] });
const installation = (calicoNetwork: object, serviceCIDRs?: string[]): object => ({
  spec: { calicoNetwork, serviceCIDRs },
});

/** Calico for Windows nodes in these ranges. */
const calicoWith = (cidr: string, services: string): Case => ({
  ipPools: pool({ ...vxlan, cidr }),
  installation: installation({ bgp: "Disabled", windowsDataplane: "HNS" }, [services]),
});

describe("a cluster that is there", () => {
  /** Clusters that machines can be joined to; what is known of each is in golden/taken.yaml. */
  const taken: Readonly<Record<string, Case>> = {
    "kubeadm's, with Calico": {},
    "kubespray's, by where its certificates are": {
      ...kubeadm(
        "certificatesDir: /etc/kubernetes/ssl\nnetworking: { podSubnet: 10.233.64.0/18, serviceSubnet: 10.233.0.0/18 }",
      ),
      ...calicoWith("10.233.64.0/18", "10.233.0.0/18"),
    },
    "one with both families of addresses: the IPv4 one": {
      ...kubeadm(
        'networking: { podSubnet: "fd00::/48,10.1.0.0/16", serviceSubnet: "10.2.0.0/16,fd01::/108" }',
      ),
      ...calicoWith("10.1.0.0/16", "10.2.0.0/16"),
    },
    "one that machines find elsewhere": {
      clusterInfo: clusterInfo("https://127.0.0.1:6443"),
      wanted: { endpoint: "10.0.0.1:6443" },
    },
    "one whose API server has no port in its address": {
      clusterInfo: clusterInfo("https://api.example.com"),
    },
    "one with Flannel": { ...withFlannel, ...nodeCidr },
    "one with Flannel by plain routes, of kubespray's": {
      ...withFlannel,
      flannelConfig: undefined,
      flannelConfigInKubeSystem: netConf('{"Backend":{"Type":"host-gw"}}'),
      wanted: { cni: { kind: "flannel", mayChange: false, nodeCidr: "10.0.0.0/24" } },
    },
    "one with OVN's hybrid overlay, by the environment of its pods": ovn({
      env: hybridEnvironment,
    }),
    "one with OVN's hybrid overlay on another port, by their arguments": ovn({
      args: ["--enable-hybrid-overlay", "--hybrid-overlay-cluster-subnets=10.132.0.0/14/23"],
      command: ["ovnkube", "--hybrid-overlay-vxlan-port", "9898"],
    }),
    "one with OVN's hybrid overlay, by its ConfigMap": {
      ...ovn({}),
      ovnConfig: configMap({
        "ovnkube.conf":
          '[default]\nmtu="1400"\n[hybridoverlay]\nenabled=true\ncluster-subnets="10.132.0.0/14"\n',
      }),
    },
    "one with a pod network that is nobody's business": {
      installation: undefined,
      daemonSets: { items: [daemonSet("cilium")] },
      wanted: { cni: { kind: "none", mayChange: false } },
    },
    "one without encapsulation, by BGP": {
      ipPools: pool({ vxlanMode: "Never", ipipMode: "Never" }),
      installation: installation({ windowsDataplane: "HNS" }, ["10.96.0.0/12"]),
    },
    "one with Calico's older resources only": {
      ipPools: undefined,
      ipamConfig: undefined,
      felixConfig: undefined,
      storedIpPools: pool({ vxlanMode: "Always" }),
      storedIpamConfig: { spec: { strictAffinity: true } },
    },
    "one with kube-proxy for Windows of its own": {
      kubeProxyConfig: undefined,
      daemonSets: windowsKubeProxy(),
    },
    "one with kube-proxy for Windows by an affinity, under another name": {
      daemonSets: {
        items: [
          daemonSet("win-proxy", {
            affinity: { nodeAffinity: onSystems("windows") },
            containers: [{ name: "proxy", image: "registry.example.com/kube-proxy:v1.36.4" }],
          }),
        ],
      },
    },
    "one with somebody's DaemonSet of our kube-proxy's name": {
      daemonSets: { items: [daemonSet("kube-proxy-windows", { nodeSelector: { pool: "win" } })] },
    },
    "one with kube-proxy for Windows of this program's": {
      daemonSets: windowsKubeProxy({ "pulumi.com/patchFieldManager": "kindows" }),
    },
    "one where the machine is a node already, by an earlier run": nodes(
      node("win-1", "windows", "192.0.2.11"),
    ),
    "one whose nodes are of an older version, as far as Kubernetes allows": version("v1.39.1"),
    "one whose DaemonSets are kept off Windows nodes by the older label": {
      daemonSets: {
        items: [daemonSet("kube-proxy", { nodeSelector: { "beta.kubernetes.io/os": "linux" } })],
      },
    },
    "one whose DaemonSets are kept off Windows nodes by affinity": {
      daemonSets: { items: [daemonSet("kube-proxy", { affinity: { nodeAffinity: onLinux } })] },
    },
  };
  it("is known by what it says of itself", () => assertSaid(here, "taken.yaml", taken, factsOf));

  /** Clusters and settings that do not go together; what is said of each is in golden/refused.yaml. */
  const refused: Readonly<Record<string, Case>> = {
    RKE2: version("v1.36.4+rke2r1"),
    k3s: version("v1.36.4+k3s1"),
    k0s: version("v1.36.4+k0s"),
    EKS: version("v1.36.4-eks-1a2b3c"),
    GKE: version("v1.36.4-gke.100"),
    AKS: nodes({ metadata: { labels: { "kubernetes.azure.com/cluster": "x" } } }),
    OpenShift: { groups: { groups: [{ name: "config.openshift.io" }] } },
    Talos: nodes({ status: { nodeInfo: { osImage: "Talos (v1.11)" } } }),
    "what kubeadm has not made": { kubeadmConfig: undefined },
    "a machine with the name of a node with Linux": nodes(node("win-1", "linux", "192.0.2.5")),
    "a machine with the address of another node": nodes(node("cp-1", "linux", "192.0.2.11")),
    "a machine that joined under another name": nodes(node("win-old", "windows", "192.0.2.11")),
    "a machine with an address of the pods": machineAt("10.244.3.1"),
    "a machine with an address of the services": machineAt("10.96.0.10"),
    "an API server that is four minor versions newer": version("v1.40.2+build"),
    "nodes newer than the API server": version("v1.35.9"),
    "something that is no API server": { version: {} },
    "one that machines cannot find": { clusterInfo: clusterInfo("https://localhost:6443") },
    "one that tells nobody how to join": { clusterInfo: undefined },
    "one without an authority": { clusterInfo: configMap({ kubeconfig: "clusters: []" }) },
    "ranges that are not the cluster's": { wanted: { podCidr: "10.9.0.0/16" } },
    "ranges that nobody knows": kubeadm("networking: {}"),
    Cilium: { installation: undefined, daemonSets: { items: [daemonSet("cilium")] } },
    "Calico without its operator": { installation: undefined },
    "no pod network that is known": { installation: undefined, daemonSets: { items: [] } },
    "another pod network than it must be": { wanted: { cni: { ...wanted.cni, kind: "flannel" } } },
    "Calico that knows nothing of Windows, with each object to change": {
      installation: installation({ bgp: "Disabled" }),
      ipamConfig: { spec: {} },
      servicesEndpoint: undefined,
    },
    "Calico with IPIP": { ipPools: pool({ ipipMode: "Always" }) },
    "Calico with VXLAN between subnets only": { ipPools: pool({ vxlanMode: "CrossSubnet" }) },
    "Calico with VXLAN and BGP": {
      installation: installation({ windowsDataplane: "HNS" }, ["10.96.0.0/12"]),
    },
    "Calico with nothing at all between nodes": { ipPools: pool({}) },
    "Calico with two pools": {
      ipPools: { items: ["a", "b"].map((name) => ({ metadata: { name }, spec: vxlan })) },
    },
    "Calico whose pools nobody may read": { ipPools: undefined },
    "Calico with a small number for its VXLAN": { felixConfig: { spec: { vxlanVNI: 42 } } },
    "Flannel with Linux' defaults, and no range of its nodes": flannelWith(
      '{"Backend":{"Type":"vxlan"}}',
    ),
    "Flannel with another backend": {
      ...flannelWith('{"Backend":{"Type":"wireguard"}}'),
      ...nodeCidr,
    },
    "Flannel that is broken": { ...flannelWith("{"), ...nodeCidr },
    "kube-proxy that comes to Windows nodes": {
      daemonSets: { items: [daemonSet("kube-proxy", {})] },
    },
    "a cluster without kube-proxy": { kubeProxyConfig: undefined },
    "a user who may not, with everything that is missing": {
      denied: ["delete nodes", "create pods", "create secrets", "delete secrets"],
    },
    "OVN-Kubernetes without its hybrid overlay": ovn({ env: [] }),
    "OVN-Kubernetes without a range for Windows nodes": ovn({ args: ["--enable-hybrid-overlay"] }),
    "OVN-Kubernetes whose overlay is not up on a node": {
      ...ovn({ env: hybridEnvironment }),
      ...nodes(node("cp-1", "linux", "10.0.0.1")),
    },
    "OVN-Kubernetes, and nobody says where its program is": {
      ...ovn({ env: hybridEnvironment }),
      wanted: {},
    },
    "a user who may not give Flannel its rights": {
      ...withFlannel,
      denied: ["create clusterroles"],
      ...nodeCidr,
    },
    "what cannot be known from other clusters": { kubeSystem: undefined },
  };
  it("is refused with everything that stands against it", () =>
    assertSaid(here, "refused.yaml", refused, (one) => {
      const result = checked(one);
      assert.ok("problems" in result, JSON.stringify(result));
      return result.problems.map(hostProblemText);
    }));

  it("asks for the same changes whether they are made or not, where they may be made", () => {
    const cni = { kind: "found", mayChange: true } as const;
    const lacking = { installation: installation({ bgp: "Disabled" }), ipamConfig: { spec: {} } };
    const fields = (one: Case): unknown => {
      const { podNetwork } = factsOf(one) as { podNetwork: { changes: { fields: object }[] } };
      return podNetwork.changes.map((change) => change.fields);
    };
    assert.deepEqual(fields({ ...lacking, wanted: { cni } }), fields({ wanted: { cni } }));
  });

  it("warns of a certificate that is not for where machines join", () => {
    const certificate = new X509Certificate(fixture("localhost-ec.pem"));
    const warningsAt = (endpoint: string): readonly string[] =>
      checkCluster({ ...answers(), certificate }, { ...wanted, endpoint }).warnings;
    assert.deepEqual(warningsAt("localhost:6443"), []);
    const [warning = ""] = warningsAt("api.example.com:6443");
    assert.match(warning, /certificate is not for api\.example\.com, .* but for DNS:localhost/);
  });

  it("asks for the same changes while Calico's API is away", () => {
    const cni = { kind: "found", mayChange: true } as const;
    const stored = {
      ...{ ipPools: away, ipamConfig: away, felixConfig: away },
      storedIpPools: {
        items: [
          { metadata: { name: "default" }, spec: { cidr: "10.244.0.0/16", vxlanMode: "Always" } },
        ],
      },
      storedIpamConfig: { spec: { strictAffinity: true } },
      storedFelixConfig: { spec: { vxlanVNI: 4096 } },
    };
    assert.deepEqual(factsOf({ ...stored, wanted: { cni } }), factsOf({ wanted: { cni } }));
  });

  it("warns of others' DaemonSets that come to Windows nodes", () => {
    const result = checked({ daemonSets: { items: [daemonSet("logs", {})] } });
    assert.deepEqual(result.warnings, [
      "DaemonSet kube-system/logs is not kept off Windows nodes: unless its image is for both systems, its pods fail there",
    ]);
  });
});
