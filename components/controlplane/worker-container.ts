import * as z from "zod";
import { clusterLabel, roleLabel } from "../../config/names.ts";

/** The part of `docker inspect <a control plane>` that its workers share. */
export interface ControlPlaneContainer {
  readonly HostConfig: {
    /** `host path:path[:options]` of each mounted folder. */
    readonly Binds: readonly string[] | null;
    readonly Devices: readonly { readonly PathOnHost: string }[] | null;
    readonly UsernsMode: string;
  };
  readonly Config: {
    /** `NAME=value` of each variable, the image's own ones included. */
    readonly Env: readonly string[] | null;
  };
}

export const workerSchema = z.strictObject({
  /** Of container, host and node. */
  name: z.string(),
  cluster: z.string(),
  image: z.string(),
  network: z.string(),
  endpoint: z.string(),
  /** Longest wait for the node to be Ready, which it is when it has its CNI. */
  readySeconds: z.number().positive(),
});

export type Worker = z.infer<typeof workerSchema>;

/** What kind hands its nodes from its caller's environment. */
const handedDown = /^(HTTP_PROXY|HTTPS_PROXY|NO_PROXY|http_proxy|https_proxy|no_proxy|KIND_\w+)=/;

/**
 * Arguments of `docker run` for a worker, as kind 0.33 gives them (pkg/cluster/internal/providers/docker/provision.go).
 *
 * What kind decides by looking at the host (user namespaces, devices, proxies) is taken from a control plane, where it
 * has decided already.
 */
export function workerRunArgs(
  worker: Pick<Worker, "name" | "cluster" | "image" | "network">,
  sibling: ControlPlaneContainer,
): string[] {
  const { HostConfig: host, Config: config } = sibling;
  return [
    ...["run", "--name", worker.name, "--hostname", worker.name],
    ...["--label", `${roleLabel}=worker`, "--label", `${clusterLabel}=${worker.cluster}`],
    ...["--privileged", "--security-opt", "seccomp=unconfined"],
    ...["--security-opt", "apparmor=unconfined"],
    ...["--tmpfs", "/tmp", "--tmpfs", "/run", "--volume", "/var"],
    ...(host.Binds ?? []).flatMap((bind) => ["--volume", bind]),
    ...(host.Devices ?? []).flatMap((device) => ["--device", device.PathOnHost]),
    ...(host.UsernsMode === "" ? [] : [`--userns=${host.UsernsMode}`]),
    ...(config.Env ?? []).filter((each) => handedDown.test(each)).flatMap((each) => ["-e", each]),
    ...["--detach", "--tty", "--net", worker.network],
    ...["--restart=on-failure:1", "--init=false", "--cgroupns=private"],
    worker.image,
  ];
}

/** Line of a node container's log after which programs may be run in it (kind's NodeReachedCgroupsReadyRegexp). */
export const nodeStarted = /Reached target .*Multi-User System.*|detected cgroup v1/;
