import { stringify } from "yaml";
import * as z from "zod";
import { apiServer } from "../../config/sections/api-server.ts";
import { kindPatches } from "../../config/sections/kind-patches.ts";
import { parseJson } from "../../toolchain/parse-json.ts";

export const clusterSchema = z.strictObject({
  name: z.string(),
  image: z.string(),
  /** Control plane nodes; with 3, kind puts a load balancer in front of them. */
  controlPlanes: z.literal([1, 3]),
  podCidr: z.string(),
  serviceCidr: z.string(),
  /** Whether kind installs the node image's CNI. Otherwise nodes stay NotReady until another one is installed. */
  defaultCni: z.boolean(),
  /** The CNI that is installed instead. kind does not use it, but a cluster made for another CNI must be replaced. */
  cni: z.string().optional(),
  network: z.string(),
  patches: kindPatches.optional(),
  /** How other computers reach the API server. Default: not at all. */
  apiServer: apiServer.optional(),
});

export type ClusterShape = Omit<z.infer<typeof clusterSchema>, "network">;

/** What the host's kernel and sandbox allow, detected on the host where kind runs. */
export interface HostTraits {
  readonly cgroupVersion: 1 | 2;
  /** Whether a container may lower its OOM score (CAP_SYS_RESOURCE); sandboxes often may not. */
  readonly mayLowerOomScore: boolean;
}

/**
 * kind's configuration for a cluster on a host, as YAML. It contains no Linux workers: kind cannot add workers later,
 * so add-linux-worker.ts joins all of them.
 */
export function kindConfig(shape: ClusterShape, host: HostTraits): string {
  const {
    featureGates,
    runtimeConfig,
    kubeadmConfigPatches = [],
    containerdConfigPatches = [],
    extraMounts,
    extraPortMappings,
    apiServerAddress = shape.apiServer?.address,
    apiServerPort = shape.apiServer?.port,
  } = shape.patches ?? {};
  const kubelet = kubeletPatch(host);
  const ofKubeadm = [
    ...(kubelet ? [stringify(kubelet)] : []),
    ...(shape.apiServer ? [stringify(certificatePatch(shape.apiServer))] : []),
    ...kubeadmConfigPatches,
  ];
  const ofContainerd = [
    ...(host.mayLowerOomScore ? [] : [keepOomScore]),
    ...containerdConfigPatches,
  ];
  return stringify({
    kind: "Cluster",
    apiVersion: "kind.x-k8s.io/v1alpha4",
    name: shape.name,
    networking: {
      ipFamily: "ipv4",
      podSubnet: shape.podCidr,
      serviceSubnet: shape.serviceCidr,
      disableDefaultCNI: !shape.defaultCni,
      apiServerAddress,
      apiServerPort,
    },
    featureGates,
    runtimeConfig,
    ...(ofKubeadm.length > 0 && { kubeadmConfigPatches: ofKubeadm }),
    ...(ofContainerd.length > 0 && { containerdConfigPatches: ofContainerd }),
    nodes: Array.from({ length: shape.controlPlanes }, () => ({
      role: "control-plane",
      image: shape.image,
      extraMounts,
      extraPortMappings,
    })),
  });
}

/** Names in the API server's certificate. A patch replaces the list, in which kind has `localhost` and the address. */
function certificatePatch({ address, certSANs }: z.infer<typeof apiServer>): object {
  const names = [...new Set(["localhost", address, ...certSANs])];
  return { kind: "ClusterConfiguration", apiServer: { certSANs: names } };
}

/** Without this, containerd lowers the OOM score of containers, and fails if it is not allowed to. */
const keepOomScore = `[plugins."io.containerd.grpc.v1.cri"]\n  restrict_oom_score_adj = true\n`;

/** Patch of the cluster-wide kubelet configuration, which nodes that join later also get. */
function kubeletPatch(host: HostTraits): object | undefined {
  if (host.cgroupVersion === 2 && host.mayLowerOomScore) return undefined;
  return {
    kind: "KubeletConfiguration",
    // Since 1.35 the kubelet refuses cgroup v1 unless told otherwise.
    ...(host.cgroupVersion === 1 && { failCgroupV1: false }),
    // Lets the kubelet continue if it is not allowed to set its own OOM score and some sysctls.
    ...(!host.mayLowerOomScore && { featureGates: { KubeletInUserNamespace: true } }),
  };
}

/** Bit of CAP_SYS_RESOURCE in the capability masks of /proc/<pid>/status. */
const capSysResource = 24n;

const infoSchema = z.object({ CgroupVersion: z.string() });

/**
 * @param dockerInfo output of `docker info --format '{{json .}}'`.
 * @param processStatus /proc/self/status of a root process on the same host. Containers get no capability that it
 * lacks.
 * @throws if Docker does not report its cgroup version.
 */
export function hostTraits(dockerInfo: string, processStatus: string): HostTraits {
  const { data } = infoSchema.safeParse(parseJson(dockerInfo));
  const version = data?.CgroupVersion;
  if (version !== "1" && version !== "2") {
    throw new Error(
      "Docker does not report its cgroup version: it must be 20.10 or newer and running",
    );
  }
  const bounding = /^CapBnd:\s*([0-9a-f]+)$/m.exec(processStatus)?.[1];
  if (bounding === undefined) throw new Error("the process status has no CapBnd line");
  return {
    cgroupVersion: version === "1" ? 1 : 2,
    mayLowerOomScore: ((BigInt(`0x${bounding}`) >> capSysResource) & 1n) === 1n,
  };
}
