import * as z from "zod";
import { clusterLabel, roleLabel } from "../../config/names.ts";
import { caCertificateSchema } from "../node/ca-certificates.ts";
import { imageArchiveSchema } from "../image-archives/image-archive.ts";

const texts = z.array(z.string()).nullish();

/** The part of `docker inspect <control plane>` that workers are configured with too. */
export const controlPlaneContainer = z.object({
  HostConfig: z.object({
    /** `host path:path[:options]` of each mounted folder. */
    Binds: texts,
    Devices: z.array(z.object({ PathOnHost: z.string() })).nullish(),
    UsernsMode: z.string(),
  }),
  /** `NAME=value` of each variable, including those of the image. */
  Config: z.object({ Env: texts }),
});

type ControlPlaneContainer = z.infer<typeof controlPlaneContainer>;

export const workerSchema = z.strictObject({
  /** Name of the container, host and node. */
  name: z.string(),
  cluster: z.string(),
  image: z.string(),
  network: z.string(),
  endpoint: z.string(),
  /** Longest wait for the node to be Ready, which needs the pod network, in seconds. Default: it only joins. */
  readySeconds: z.number().positive().optional(),
  /** Archives of images that it gets before it joins. */
  imageArchives: z.array(imageArchiveSchema).optional(),
  /** Certificates that it trusts besides those of its system. */
  certificates: z.array(caCertificateSchema).optional(),
  /** Address and port of the lab's registry, which it finds there. */
  registry: z.string().optional(),
});

export type Worker = z.infer<typeof workerSchema>;

/** Variables that kind passes to its nodes from its own environment. */
const passedOn = /^(HTTP_PROXY|HTTPS_PROXY|NO_PROXY|http_proxy|https_proxy|no_proxy|KIND_\w+)=/;

/**
 * Arguments of `docker run` for a worker, as in kind 0.33 (pkg/cluster/internal/providers/docker/provision.go). Those
 * that kind chooses for the host (user namespaces, devices, proxies) are copied from a control plane.
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
    ...(config.Env ?? []).filter((each) => passedOn.test(each)).flatMap((each) => ["-e", each]),
    ...["--detach", "--tty", "--net", worker.network],
    ...["--restart=on-failure:1", "--init=false", "--cgroupns=private"],
    worker.image,
  ];
}

/** Line in a node container's log after which programs can run in it (kind's NodeReachedCgroupsReadyRegexp). */
export const nodeStarted = /Reached target .*Multi-User System.*|detected cgroup v1/;
