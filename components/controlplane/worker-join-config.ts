import { stringify } from "yaml";

export interface LinuxJoin {
  readonly name: string;
  readonly endpoint: string;
  readonly caCertHash: string;
  readonly token: string;
}

export interface WorkerJoin extends LinuxJoin {
  readonly cluster: string;
  readonly address: string;
}

export interface MachineJoin extends LinuxJoin {
  /** Labels as kubelet's `--node-labels` takes them; empty: none. */
  readonly nodeLabels: string;
  readonly taints: readonly {
    readonly key: string;
    readonly value: string;
    readonly effect: string;
  }[];
  /** How long kubelet may take to be healthy and to get its certificate, in seconds each. */
  readonly waitSeconds: number;
}

const criSocket = "unix:///run/containerd/containerd.sock";

/** What `kubeadm join --config` of a worker takes: as kind writes it, but with a CA that is checked. Holds a secret. */
export function workerJoinConfig(join: WorkerJoin): string {
  const kubeletExtraArgs = [
    { name: "node-ip", value: join.address },
    { name: "provider-id", value: `kind://docker/${join.cluster}/${join.name}` },
  ];
  // Complains of what every node in a container has: swap, a foreign kernel's modules.
  return joinConfig(join, { kubeletExtraArgs }, { skipPhases: ["preflight"] });
}

/** The same of a machine, with all of kubeadm's checks. Its kubelet's other arguments are in a file of the machine's. */
export function machineJoinConfig(join: MachineJoin): string {
  const labels = { name: "node-labels", value: join.nodeLabels };
  const kubeletExtraArgs = join.nodeLabels === "" ? undefined : [labels];
  const wait = `${join.waitSeconds}s`;
  return joinConfig(
    join,
    { ...(kubeletExtraArgs && { kubeletExtraArgs }), taints: join.taints },
    { timeouts: { kubeletHealthCheck: wait, tlsBootstrap: wait } },
  );
}

function joinConfig(
  { name, endpoint, token, caCertHash }: LinuxJoin,
  registration: object,
  rest: object,
): string {
  return stringify({
    apiVersion: "kubeadm.k8s.io/v1beta4",
    kind: "JoinConfiguration",
    nodeRegistration: { name, criSocket, ...registration },
    discovery: {
      bootstrapToken: { apiServerEndpoint: endpoint, token, caCertHashes: [caCertHash] },
    },
    ...rest,
  });
}
