import { release } from "node:os";
import * as z from "zod";
import semver from "semver";
import { clusterLabel, registryLabel } from "../../config/names.ts";
import { askDocker, dockerEndpoint, type DockerEndpoint } from "../../host/docker-engine.ts";
import { messageOf } from "../../host/failure.ts";
import type { Gathered, HostProblem } from "../../config/host-problem.ts";
import { type Complaint, unless } from "../../config/problem.ts";
import {
  installText,
  joinCommand,
  startCommand,
  type PackageManager,
} from "../../toolchain/host-packages.ts";

const timeoutSeconds = 15;
const bridgeOption = "com.docker.network.bridge.name";

/** What the engine says of itself. */
export const infoSchema = z
  .object({
    ServerVersion: z.string(),
    DockerRootDir: z.string(),
    SecurityOptions: z.array(z.string()).nullish(),
    OperatingSystem: z.string().optional(),
    KernelVersion: z.string().optional(),
    /** Only Podman's imitation of Docker's API has it. */
    BuildahVersion: z.string().optional(),
  })
  .transform(({ ServerVersion: version, DockerRootDir: rootFolder, SecurityOptions, ...info }) => {
    const kind = kindOf(info);
    return {
      version,
      rootFolder,
      rootless: (SecurityOptions ?? []).some((option) => option.includes("rootless")),
      ...(kind !== undefined && { kind }),
    };
  });

/** Engines whose containers cannot be on a bridge of this host; undefined for an engine on this host's kernel. */
function kindOf({
  OperatingSystem: system,
  KernelVersion: kernel,
  BuildahVersion: buildah,
}: Partial<
  Readonly<Record<"OperatingSystem" | "KernelVersion" | "BuildahVersion", string | undefined>>
>): "Docker Desktop" | "Podman" | "in another machine" | undefined {
  // In WSL it has a network of its own on the same kernel.
  if (system === "Docker Desktop") return "Docker Desktop";
  if (buildah !== undefined) return "Podman";
  return kernel === undefined || kernel === release() ? undefined : "in another machine";
}

const networkSchema = z
  .object({
    Name: z.string(),
    Id: z.string(),
    Driver: z.string(),
    IPAM: z.object({ Config: z.array(z.object({ Subnet: z.string().optional() })).nullish() }),
    Options: z.record(z.string(), z.string()).nullish(),
  })
  .transform(({ Name: name, Id, Driver, IPAM, Options }) => ({
    name,
    /** IPv4 and IPv6. */
    cidrs: (IPAM.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []),
    // The default name is derived from the network's id.
    ...(Driver === "bridge" && { bridge: Options?.[bridgeOption] ?? `br-${Id.slice(0, 12)}` }),
  }));

const portsSchema = z.array(z.object({ PublicPort: z.number().optional() })).nullish();

/** Ports of this host. */
const published = (ports: z.infer<typeof portsSchema>): number[] =>
  (ports ?? []).flatMap(({ PublicPort }) => PublicPort ?? []);

const containerSchema = z
  .object({
    Names: z.array(z.string()),
    Labels: z.record(z.string(), z.string()).nullish(),
    State: z.string(),
    Ports: portsSchema,
  })
  .transform(({ Names: [name = ""], Labels, State, Ports }) => ({
    name: name.replace(/^\//, ""),
    running: State === "running",
    ...(Labels?.[clusterLabel] && { kindCluster: Labels[clusterLabel] }),
    ...(Labels?.[registryLabel] && { registryOf: Labels[registryLabel] }),
    ...(published(Ports).length > 0 && { ports: published(Ports) }),
  }));

export interface DockerFacts extends z.infer<typeof infoSchema> {
  readonly networks: readonly z.infer<typeof networkSchema>[];
  readonly containers: readonly z.infer<typeof containerSchema>[];
  readonly endpoint: DockerEndpoint;
}

/** How an endpoint is called where it is not the usual one. */
function endpointText({ by, context = "" }: DockerEndpoint): string {
  return by === "context" ? `Docker's context ${context}` : "DOCKER_HOST";
}

/** Queries the Docker engine that the command `docker` uses. */
export async function gatherDocker(endpoint = dockerEndpoint()): Promise<Gathered<DockerFacts>> {
  const socket = endpoint.host;
  if (!socket.startsWith("unix://")) {
    const error = `${endpointText(endpoint)} is ${socket}, which is not a socket of this host`;
    return { reachable: false, error };
  }
  const ask = async <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
    schema.parse(
      await askDocker(socket, path, { signal: AbortSignal.timeout(timeoutSeconds * 1000) }),
    );
  try {
    const [info, networks, containers] = await Promise.all([
      ask("/info", infoSchema),
      ask("/networks", z.array(networkSchema)),
      ask("/containers/json?all=true", z.array(containerSchema)),
    ]);
    return { reachable: true, ...info, networks, containers, endpoint };
  } catch (error) {
    return { reachable: false, error: messageOf(error) };
  }
}

export function unreachable(
  daemon: "docker" | "libvirt",
  error: string,
  packages: readonly string[],
  packageManager: PackageManager | undefined,
): Complaint {
  return {
    why: `can't be reached: ${error}`,
    instead: `Run \`make up\` as root, which installs and starts what is missing, or do so yourself: ${installText(packageManager, packages)}; ${startCommand(daemon, packageManager)}. Users other than root must be in its group: ${joinCommand(daemon)}, then log in again.`,
  };
}

/** What is wrong with engines that are not this system's own. */
const engines = {
  rootless:
    "runs rootless, with its own network, so kind's containers could not be on the machines' bridge",
  "Docker Desktop":
    "is Docker Desktop, whose containers have a network of its own machine, so they could not be on the machines' bridge",
  Podman: "is Podman, on whose networks kind's containers could not be on the machines' bridge",
  "in another machine":
    "runs on another kernel than this host's, in a virtual machine, so kind's containers could not be on the machines' bridge",
} as const;

/** The first version that reports its control group version, which kind's nodes depend on. */
const minimumVersion = "20.10.0";

export function checkDocker(
  _settings: unknown,
  {
    docker,
    packageManager,
  }: {
    readonly docker: Gathered<DockerFacts>;
    readonly packageManager: PackageManager | undefined;
  },
): HostProblem[] {
  if (!docker.reachable) {
    const problem = unreachable("docker", docker.error, ["docker.io"], packageManager);
    return [{ subject: "Docker", ...problem }];
  }
  const unusable = docker.rootless ? "rootless" : docker.kind;
  if (unusable !== undefined) {
    const { by } = docker.endpoint;
    const back = {
      DOCKER_HOST: "unset DOCKER_HOST, or set it to unix:///var/run/docker.sock",
      context: "docker context use default",
      default: `install it (${installText(packageManager, ["docker.io"])}), and have /var/run/docker.sock belong to it`,
    };
    const named = by === "default" ? "Docker" : `${endpointText(docker.endpoint)}: Docker`;
    return [
      {
        subject: named,
        why: engines[unusable],
        instead: `Use the system's own Docker: ${back[by]}.`,
      },
    ];
  }
  // Docker's versions up to 20.10 had leading zeros, e.g. 19.03.13.
  const version = semver.coerce(docker.version, { loose: true });
  return unless(version === null || semver.gte(version, minimumVersion), {
    subject: `Docker ${docker.version}`,
    why: "is too old for kind",
    instead: `Install ${minimumVersion} or newer.`,
  });
}
