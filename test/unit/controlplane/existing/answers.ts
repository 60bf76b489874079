import type {
  Answer,
  ClusterAnswers,
} from "../../../../components/controlplane/existing/cluster-answers.ts";
import {
  allRights,
  questions,
} from "../../../../components/controlplane/existing/examine-cluster.ts";
import { fixture } from "../fixture-kubeconfig.ts";

const missing: Answer = { refusal: "not found" };

/** Stands for an answer whose server is away. */
export const away: Answer = {
  refusal: "the server is currently unable to handle it",
  isAway: true,
};

/** A ConfigMap as the API server returns it. */
export const configMap = (data: Readonly<Record<string, string>>): object => ({
  kind: "ConfigMap",
  data,
});

/** A DaemonSet by name, its pod's selectors and namespace. */
export const daemonSet = (
  name: string,
  spec: object = { nodeSelector: { "kubernetes.io/os": "linux" } },
  annotations = {},
): object => ({
  metadata: { name, namespace: "kube-system", annotations },
  spec: { template: { spec } },
});

/** Content of `cluster-info`, with a server. */
export const clusterInfo = (server: string): object =>
  configMap({
    kubeconfig: JSON.stringify({
      clusters: [
        {
          cluster: {
            server,
            "certificate-authority-data": Buffer.from(fixture("ca-rsa.pem")).toString("base64"),
          },
        },
      ],
    }),
  });

const kubeadm = configMap({
  ClusterConfiguration:
    "kubernetesVersion: v1.36.4\nnetworking: { podSubnet: 10.244.0.0/16, serviceSubnet: 10.96.0.0/12 }\n",
});

/** A kubeadm cluster of 1.36 with Calico as Windows nodes need it. */
const good: Readonly<Record<string, unknown>> = {
  version: { gitVersion: "v1.36.4" },
  groups: { groups: [{ name: "apps" }, { name: "operator.tigera.io" }] },
  kubeSystem: { metadata: { uid: "1b671a64-40d5-491e-99b0-da01ff1f3341" } },
  nodes: {
    items: [
      {
        metadata: { name: "cp-1", labels: { "kubernetes.io/os": "linux" } },
        status: { nodeInfo: { osImage: "Debian GNU/Linux 12 (bookworm)" } },
      },
    ],
  },
  daemonSets: { items: [daemonSet("kube-proxy"), daemonSet("calico-node")] },
  kubeadmConfig: kubeadm,
  kubeletConfig: configMap({ kubelet: "clusterDNS: [10.96.0.10]\nclusterDomain: cluster.local\n" }),
  kubeProxyConfig: configMap({
    "kubeconfig.conf": "clusters: [{ cluster: { server: https://api.example.com:6443 } }]\n",
  }),
  clusterInfo: clusterInfo("https://api.example.com:6443"),
  apiServers: {
    items: [
      {
        addressType: "IPv4",
        endpoints: [{ addresses: ["10.0.0.1"] }],
        ports: [{ name: "https", port: 6443 }],
      },
    ],
  },
  installation: {
    spec: {
      serviceCIDRs: ["10.96.0.0/12"],
      calicoNetwork: { bgp: "Disabled", windowsDataplane: "HNS" },
    },
  },
  ipPools: {
    items: [
      { metadata: { name: "default" }, spec: { cidr: "10.244.0.0/16", vxlanMode: "Always" } },
    ],
  },
  ipamConfig: { spec: { strictAffinity: true } },
  felixConfig: { spec: { vxlanVNI: 4096 } },
  servicesEndpoint: configMap({
    KUBERNETES_SERVICE_HOST: "10.0.0.1",
    KUBERNETES_SERVICE_PORT: "6443",
  }),
};

/** Without Calico, with Flannel as Windows nodes need it. */
export const withFlannel: Readonly<Record<string, unknown>> = {
  installation: undefined,
  daemonSets: { items: [daemonSet("kube-proxy"), daemonSet("kube-flannel-ds")] },
  flannelConfig: configMap({
    "net-conf.json":
      '{"Network":"10.244.0.0/16","Backend":{"Type":"vxlan","VNI":4096,"Port":4789}}',
  }),
};

function answerOf(body: unknown): Answer {
  if (body === away) return away;
  return body === undefined ? missing : { body };
}

/**
 * The answers of a good cluster with some replaced; undefined means that the object does not exist, `away` that its
 * server does not answer.
 *
 * @param denied rights that the user lacks, as `verb resource`.
 */
export function answers(
  other: Readonly<Record<string, unknown>> = {},
  denied: readonly string[] = [],
): ClusterAnswers {
  const bodies = { ...good, ...other };
  return {
    answers: Object.fromEntries(
      Object.keys(questions).map((name) => [name, answerOf(bodies[name])]),
    ) as ClusterAnswers["answers"],
    denied: allRights.filter(({ verb, resource }) => denied.includes(`${verb} ${resource}`)),
  };
}
