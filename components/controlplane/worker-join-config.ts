import { stringify } from "yaml";

export interface WorkerJoin {
  /** Name of container, host and node. */
  readonly name: string;
  readonly cluster: string;
  /** IPv4 address of the worker. */
  readonly address: string;
  /** `host:port` of the API server. */
  readonly endpoint: string;
  /** `sha256:<hex>` of the cluster CA's public key. */
  readonly caCertHash: string;
  /** Bootstrap token. */
  readonly token: string;
}

/** What `kubeadm join --config` of a worker takes: as kind writes it, but with a CA that is checked. Holds a secret. */
export function workerJoinConfig(join: WorkerJoin): string {
  return stringify({
    apiVersion: "kubeadm.k8s.io/v1beta4",
    kind: "JoinConfiguration",
    nodeRegistration: {
      name: join.name,
      criSocket: "unix:///run/containerd/containerd.sock",
      kubeletExtraArgs: [
        { name: "node-ip", value: join.address },
        { name: "provider-id", value: `kind://docker/${join.cluster}/${join.name}` },
      ],
    },
    discovery: {
      bootstrapToken: {
        apiServerEndpoint: join.endpoint,
        token: join.token,
        caCertHashes: [join.caCertHash],
      },
    },
    // Complains of what every node in a container has: swap, a foreign kernel's modules.
    skipPhases: ["preflight"],
  });
}
