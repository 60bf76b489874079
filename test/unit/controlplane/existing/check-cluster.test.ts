import assert from "node:assert/strict";
import { publicKeyHash } from "../../../../kubernetes/ca-cert-hash.ts";
import {
  checkCluster,
  type ClusterCheck,
  type WantedCluster,
} from "../../../../components/controlplane/existing/check-cluster.ts";
import { eachCase } from "../../each-case.ts";
import { fixture } from "../fixture-kubeconfig.ts";
import { answers, clusterInfo, configMap, daemonSet, withFlannel } from "./answers.ts";

const wanted: WantedCluster = {
  kubernetesVersion: "1.36.4",
  cni: { kind: "found", mayChange: false },
  nodes: [{ name: "win-1", nodeIp: "192.0.2.11" }],
};

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

describe("a cluster that is there", () => {
  it("is known by what it says of itself", () =>
    assert.deepEqual(factsOf({}), {
      id: "1b671a64-40d5-491e-99b0-da01ff1f3341",
      serverVersion: "1.36.4",
      distribution: "kubeadm",
      endpoint: "api.example.com:6443",
      caCertHash: publicKeyHash(fixture("ca-rsa.pem")),
      podCidr: "10.244.0.0/16",
      serviceCidr: "10.96.0.0/12",
      podNetwork: { kind: "calico", changes: [] },
      kubeProxy: "install",
    }));

  const taken: Readonly<Record<string, readonly [Case, object]>> = {
    "kubespray's, by where its certificates are": [
      kubeadm(
        "certificatesDir: /etc/kubernetes/ssl\nnetworking: { podSubnet: 10.233.64.0/18, serviceSubnet: 10.233.0.0/18 }",
      ),
      { distribution: "kubespray", podCidr: "10.233.64.0/18" },
    ],
    "one with both families of addresses: the IPv4 one": [
      kubeadm(
        'networking: { podSubnet: "fd00::/48,10.1.0.0/16", serviceSubnet: "10.2.0.0/16,fd01::/108" }',
      ),
      { podCidr: "10.1.0.0/16", serviceCidr: "10.2.0.0/16" },
    ],
    "one that machines find elsewhere": [
      { clusterInfo: clusterInfo("https://127.0.0.1:6443"), wanted: { endpoint: "10.0.0.1:6443" } },
      { endpoint: "10.0.0.1:6443" },
    ],
    "one whose API server has no port in its address": [
      { clusterInfo: clusterInfo("https://api.example.com") },
      { endpoint: "api.example.com:443" },
    ],
    "one with Flannel": [
      { ...withFlannel, ...nodeCidr },
      { podNetwork: { kind: "flannel", backend: "vxlan", nodeCidr: "10.0.0.0/24" } },
    ],
    "one with Flannel by plain routes, of kubespray's": [
      {
        ...withFlannel,
        flannelConfig: undefined,
        flannelConfigInKubeSystem: netConf('{"Backend":{"Type":"host-gw"}}'),
        wanted: { cni: { kind: "flannel", mayChange: false, nodeCidr: "10.0.0.0/24" } },
      },
      { podNetwork: { kind: "flannel", backend: "host-gw", nodeCidr: "10.0.0.0/24" } },
    ],
    "one with OVN's hybrid overlay, by the environment of its pods": [
      ovn({ env: hybridEnvironment }),
      { podNetwork: { kind: "ovn-kubernetes", vxlanPort: 4789 } },
    ],
    "one with OVN's hybrid overlay on another port, by their arguments": [
      ovn({
        args: ["--enable-hybrid-overlay", "--hybrid-overlay-cluster-subnets=10.132.0.0/14/23"],
        command: ["ovnkube", "--hybrid-overlay-vxlan-port", "9898"],
      }),
      { podNetwork: { kind: "ovn-kubernetes", vxlanPort: 9898 } },
    ],
    "one with OVN's hybrid overlay, by its ConfigMap": [
      {
        ...ovn({}),
        ovnConfig: configMap({
          "ovnkube.conf":
            '[default]\nmtu="1400"\n[hybridoverlay]\nenabled=true\ncluster-subnets="10.132.0.0/14"\n',
        }),
      },
      { podNetwork: { kind: "ovn-kubernetes", vxlanPort: 4789 } },
    ],
    "one with a pod network that is nobody's business": [
      {
        installation: undefined,
        daemonSets: { items: [daemonSet("cilium")] },
        wanted: { cni: { kind: "none", mayChange: false } },
      },
      { podNetwork: { kind: "none" } },
    ],
    "one without encapsulation, by BGP": [
      {
        ipPools: pool({ vxlanMode: "Never", ipipMode: "Never" }),
        installation: installation({ windowsDataplane: "HNS" }, ["10.96.0.0/12"]),
      },
      { podNetwork: { kind: "calico", changes: [] } },
    ],
    "one with Calico's older resources only": [
      {
        ipPools: undefined,
        ipamConfig: undefined,
        felixConfig: undefined,
        storedIpPools: pool({ vxlanMode: "Always" }),
        storedIpamConfig: { spec: { strictAffinity: true } },
      },
      { podNetwork: { kind: "calico", changes: [] } },
    ],
    "one with kube-proxy for Windows of its own": [
      { kubeProxyConfig: undefined, daemonSets: windowsKubeProxy() },
      { kubeProxy: "there" },
    ],
    "one with kube-proxy for Windows of this program's": [
      { daemonSets: windowsKubeProxy({ "pulumi.com/patchFieldManager": "kindows" }) },
      { kubeProxy: "install" },
    ],
    "one where the machine is a node already, by an earlier run": [
      nodes(node("win-1", "windows", "192.0.2.11")),
      { distribution: "kubeadm" },
    ],
    "nodes of an older version, as far as Kubernetes allows": [
      version("v1.39.1"),
      { serverVersion: "1.39.1" },
    ],
  };
  eachCase("takes %s", taken, ([one, facts]) => {
    const found = factsOf(one) as Record<string, unknown>;
    for (const [key, value] of Object.entries(facts)) {
      assert.deepEqual(found[key], value, key);
    }
  });

  const linux = { nodeSelector: { "kubernetes.io/os": "linux" } };
  /** What stands against a cluster: subject and why, or a part of them. */
  const refused: Readonly<Record<string, readonly [Case, ...RegExp[]]>> = {
    RKE2: [version("v1.36.4+rke2r1"), /is one of RKE2.*agent/],
    k3s: [version("v1.36.4+k3s1"), /is one of k3s.*no Windows/],
    k0s: [version("v1.36.4+k0s"), /is one of k0s/],
    EKS: [version("v1.36.4-eks-1a2b3c"), /is one of EKS/],
    GKE: [version("v1.36.4-gke.100"), /is one of GKE/],
    AKS: [
      { nodes: { items: [{ metadata: { labels: { "kubernetes.azure.com/cluster": "x" } } }] } },
      /is one of AKS/,
    ],
    OpenShift: [{ groups: { groups: [{ name: "config.openshift.io" }] } }, /OpenShift.*Operator/],
    Talos: [
      { nodes: { items: [{ status: { nodeInfo: { osImage: "Talos (v1.11)" } } }] } },
      /is one of Talos/,
    ],
    "what kubeadm has not made": [
      { kubeadmConfig: undefined },
      /kubeadm-config cannot be read: not found; without it this is no cluster of kubeadm's/,
    ],
    "a machine with the name of a node with Linux": [
      nodes(node("win-1", "linux", "192.0.2.5")),
      /"win-1" is the name of a node with linux.*Rename/,
    ],
    "a machine with the address of another node": [
      nodes(node("cp-1", "linux", "192.0.2.11")),
      /192\.0\.2\.11 of "win-1" is that of the node cp-1/,
    ],
    "a machine that joined under another name": [
      nodes(node("win-old", "windows", "192.0.2.11")),
      /is that of .* win-old .*kubectl delete node win-old/,
    ],
    "a machine with an address of the pods": [
      machineAt("10.244.3.1"),
      /3\.1 of "win-1" is in 10\.244\.0\.0\/16.* pods/,
    ],
    "a machine with an address of the services": [
      machineAt("10.96.0.10"),
      /is in 10\.96\.0\.0\/12.* services/,
    ],
    "an API server that is four minor versions newer, with what to write": [
      version("v1.40.2+build"),
      /Write one from 1\.37 to 1\.40, best "1\.40\.2"/,
    ],
    "nodes newer than the API server": [
      version("v1.35.9"),
      /kubernetesVersion: "1\.36\.4" is newer than the API server, 1\.35\.9.*from 1\.32 to 1\.35/,
    ],
    "nodes too old for the API server": [
      version("v1.40.0"),
      /is 4 minor versions older .* allows 3/,
    ],
    "something that is no API server": [{ version: {} }, /The API server says the version ""/],
    "one that machines cannot find": [
      { clusterInfo: clusterInfo("https://localhost:6443") },
      /cluster-info says that the API server is at "https:\/\/localhost:6443".*cluster\.endpoint/,
    ],
    "one that tells nobody how to join": [
      { clusterInfo: undefined },
      /has no kubeconfig: not found/,
    ],
    "one without an authority": [
      { clusterInfo: configMap({ kubeconfig: "clusters: []" }) },
      /has no certificate/,
    ],
    "ranges that are not the cluster's": [
      { wanted: { podCidr: "10.9.0.0/16" } },
      /cluster\.podCidr: "10\.9\.0\.0\/16" is not what the cluster has, 10\.244\.0\.0\/16/,
    ],
    "ranges that nobody knows": [
      kubeadm("networking: {}"),
      /no IPv4 range as networking\.podSubnet/,
      /no IPv4 range as networking\.serviceSubnet/,
    ],
    Cilium: [
      { installation: undefined, daemonSets: { items: [daemonSet("cilium")] } },
      /pod network is Cilium.*cni\.kind: none/,
    ],
    "Calico without its operator": [{ installation: undefined }, /Calico without its .*kubespray/],
    "no pod network that is known": [
      { installation: undefined, daemonSets: { items: [] } },
      /is none that is known here/,
    ],
    "another pod network than it must be": [
      { wanted: { cni: { kind: "flannel", mayChange: false } } },
      /"flannel" is not .*: Calico/,
    ],
    "Calico that knows nothing of Windows, with each object to change": [
      {
        installation: installation({ bgp: "Disabled" }),
        ipamConfig: { spec: {} },
        servicesEndpoint: undefined,
      },
      /kubernetes-services-endpoint does not say where.*kubectl -n tigera-operator create configmap/s,
      /Installation default has spec\.calicoNetwork\.windowsDataplane Disabled.*kubectl patch installation default --type merge -p '\{"spec":\{"serviceCIDRs":\["10\.96\.0\.0\/12"\],"calicoNetwork":\{"windowsDataplane":"HNS"\}\}\}'.*mayChange/s,
      /IPAMConfiguration default has not spec\.strictAffinity true/,
    ],
    "Calico with IPIP": [{ ipPools: pool({ ipipMode: "Always" }) }, /ipipMode Always.*yourself/],
    "Calico with VXLAN between subnets only": [
      { ipPools: pool({ vxlanMode: "CrossSubnet" }) },
      /vxlanMode CrossSubnet/,
    ],
    "Calico with VXLAN and BGP": [
      { installation: installation({ windowsDataplane: "HNS" }, ["10.96.0.0/12"]) },
      /IPPool default has VXLAN while the Installation has BGP/,
    ],
    "Calico with nothing at all between nodes": [
      { ipPools: pool({}) },
      /no encapsulation .* no BGP/,
    ],
    "Calico with two pools": [
      { ipPools: { items: ["a", "b"].map((name) => ({ metadata: { name }, spec: vxlan })) } },
      /IPPools a, b are several with VXLAN/,
    ],
    "Calico whose pools nobody may read": [{ ipPools: undefined }, /IPPools cannot be read/],
    "Calico with a small number for its VXLAN": [
      { felixConfig: { spec: { vxlanVNI: 42 } } },
      /vxlanVNI 42; .* 4096/,
    ],
    "Flannel with Linux' defaults, and no range of its nodes": [
      flannelWith('{"Backend":{"Type":"vxlan"}}'),
      /VNI 1 \(Flannel's default\) and port 8472 \(Linux' default\).*4096/,
      /nodeCidr is missing/,
    ],
    "Flannel with another backend": [
      { ...flannelWith('{"Backend":{"Type":"wireguard"}}'), ...nodeCidr },
      /has the backend wireguard/,
    ],
    "Flannel that is broken": [
      { ...flannelWith("{"), ...nodeCidr },
      /net-conf\.json that is not JSON/,
    ],
    "kube-proxy that comes to Windows nodes": [
      { daemonSets: { items: [daemonSet("kube-proxy", {})] } },
      /DaemonSet kube-system\/kube-proxy is not kept off Windows nodes.*kubectl -n kube-system patch daemonset kube-proxy/,
    ],
    "a cluster without kube-proxy": [
      { kubeProxyConfig: undefined },
      /ConfigMap kube-system\/kube-proxy does not exist/,
    ],
    "a user who may not, with everything that is missing": [
      { denied: ["delete nodes", "create pods", "create secrets", "delete secrets"] },
      /may not, by kubectl auth can-i:\n {6}delete nodes \(to take a node out\)\n {6}create pods\/eviction \(to drain a node\)\n {6}create secrets -n kube-system \(for a join's token\)\n {6}delete secrets -n kube-system \(to remove a join's token\)\n/,
    ],
    "OVN-Kubernetes without its hybrid overlay": [
      ovn({ env: [] }),
      /OVN-Kubernetes has no hybrid overlay.*--enable-hybrid-overlay/,
    ],
    "OVN-Kubernetes without a range for Windows nodes": [
      ovn({ args: ["--enable-hybrid-overlay"] }),
      /OVN-Kubernetes has no range for the pods of Windows nodes/,
    ],
    "OVN-Kubernetes whose overlay is not up on a node": [
      { ...ovn({ env: hybridEnvironment }), nodes: { items: [node("cp-1", "linux", "10.0.0.1")] } },
      /Node cp-1 has no annotation k8s\.ovn\.org\/hybrid-overlay-distributed-router-gateway-mac/,
    ],
    "OVN-Kubernetes, and nobody says where its program is": [
      { ...ovn({ env: hybridEnvironment }), wanted: {} },
      /kindows:cni\.hybridOverlay is missing/,
    ],
    "a user who may not give Flannel its rights": [
      { ...withFlannel, denied: ["create clusterroles"], ...nodeCidr },
      /create clusterroles\.rbac\.authorization\.k8s\.io \(Flannel/,
    ],
    "what cannot be known from other clusters": [
      { kubeSystem: undefined },
      /Namespace kube-system cannot be read/,
    ],
  };
  eachCase("refuses %s", refused, ([one, ...patterns]) => {
    const result = checked(one);
    assert.ok("problems" in result, JSON.stringify(result));
    const texts = result.problems.map((each) => `${each.subject} ${each.why}. ${each.instead}`);
    assert.equal(texts.length, patterns.length, texts.join("\n"));
    patterns.forEach((pattern, index) => assert.match(texts[index] ?? "", pattern));
  });

  it("asks for the same changes whether they are made or not, where they may be made", () => {
    const cni = { kind: "found", mayChange: true } as const;
    const lacking = { installation: installation({ bgp: "Disabled" }), ipamConfig: { spec: {} } };
    const fields = (one: Case): unknown => {
      const { podNetwork } = factsOf(one) as { podNetwork: { changes: { fields: object }[] } };
      return podNetwork.changes.map((change) => change.fields);
    };
    assert.deepEqual(fields({ ...lacking, wanted: { cni } }), fields({ wanted: { cni } }));
  });

  const kept: Readonly<Record<string, object>> = {
    "by its selector": linux,
    "by the older label": { nodeSelector: { "beta.kubernetes.io/os": "linux" } },
    "by affinity": {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [{ key: "kubernetes.io/os", operator: "In", values: ["linux"] }],
              },
            ],
          },
        },
      },
    },
  };
  eachCase("sees that a DaemonSet is kept off Windows nodes %s", kept, (spec) =>
    factsOf({ daemonSets: { items: [daemonSet("kube-proxy", spec)] } }),
  );

  it("warns of others' DaemonSets that come to Windows nodes", () => {
    const result = checked({ daemonSets: { items: [daemonSet("logs", {})] } });
    assert.deepEqual(result.warnings, [
      "DaemonSet kube-system/logs is not kept off Windows nodes: unless its image is for both systems, its pods fail there",
    ]);
  });
});
