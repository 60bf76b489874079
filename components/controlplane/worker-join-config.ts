import { stringify } from "yaml";

interface LinuxJoin {
  readonly name: string;
  readonly endpoint: string;
  readonly caCertHash: string;
  readonly token: string;
}

interface WorkerJoin extends LinuxJoin {
  readonly cluster: string;
  readonly address: string;
}

export interface MachineJoin extends LinuxJoin {
  /** Value of the kubelet's `--node-labels`; empty for none. */
  readonly nodeLabels: string;
  readonly taints: readonly {
    readonly key: string;
    readonly value: string;
    readonly effect: string;
  }[];
  /** Time limit for the kubelet to be healthy, and again for it to get its certificate, in seconds. */
  readonly waitSeconds: number;
}

const criSocket = "unix:///run/containerd/containerd.sock";

/** Configuration for `kubeadm join` of a worker in a container, as kind's, but with a check of the CA; secret. */
export function workerJoinConfig(join: WorkerJoin): string {
  const kubeletExtraArgs = [
    { name: "node-ip", value: join.address },
    { name: "provider-id", value: `kind://docker/${join.cluster}/${join.name}` },
  ];
  // The preflight checks fail in a container, because of the host's swap and kernel modules.
  return joinConfig(join, { kubeletExtraArgs }, { skipPhases: ["preflight"] });
}

/** The same for a machine, with kubeadm's preflight checks. Other kubelet arguments are in a file on the machine. */
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
