import * as z from "zod";
import semver from "semver";
import { clusterLabel } from "../config/names.ts";
import { askDocker, defaultDockerHost } from "../host/docker-engine.ts";
import { messageOf } from "../host/failure.ts";
import type { Gathered, HostProblem } from "../config/host-problem.ts";
import { type Complaint, unless } from "../config/problem.ts";
import { installText, joinCommand, startCommand } from "../toolchain/host-packages.ts";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";

const timeoutSeconds = 15;
const bridgeOption = "com.docker.network.bridge.name";

const infoSchema = z
  .object({
    ServerVersion: z.string(),
    DockerRootDir: z.string(),
    SecurityOptions: z.array(z.string()).nullish(),
  })
  .transform(({ ServerVersion: version, DockerRootDir: rootFolder, SecurityOptions }) => ({
    version,
    rootFolder,
    rootless: (SecurityOptions ?? []).some((option) => option.includes("rootless")),
  }));

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

const containerSchema = z
  .object({
    Names: z.array(z.string()),
    Labels: z.record(z.string(), z.string()).nullish(),
    State: z.string(),
  })
  .transform(({ Names: [name = ""], Labels, State }) => ({
    name: name.replace(/^\//, ""),
    running: State === "running",
    ...(Labels?.[clusterLabel] && { kindCluster: Labels[clusterLabel] }),
  }));

export interface DockerFacts extends z.infer<typeof infoSchema> {
  readonly networks: readonly z.infer<typeof networkSchema>[];
  readonly containers: readonly z.infer<typeof containerSchema>[];
}

/** Queries the Docker engine at DOCKER_HOST, or at its default socket. */
export async function gatherDocker(
  endpoint = process.env["DOCKER_HOST"],
): Promise<Gathered<DockerFacts>> {
  const socket = endpoint || defaultDockerHost;
  if (!socket.startsWith("unix://")) {
    const error = `DOCKER_HOST is ${socket}, which is not a socket of this host`;
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
    return { reachable: true, ...info, networks, containers };
  } catch (error) {
    return { reachable: false, error: messageOf(error) };
  }
}

export function unreachable(
  daemon: "docker" | "libvirt",
  error: string,
  packages: readonly string[],
  packageManager: HostFacts["packageManager"],
): Complaint {
  return {
    why: `can't be reached: ${error}`,
    instead: `Run \`make up\` as root, which installs and starts what is missing, or do so yourself: ${installText(packageManager, packages)}; ${startCommand(daemon, packageManager)}. Users other than root must be in its group: ${joinCommand(daemon)}, then log in again.`,
  };
}

/** The first version that reports its control group version, which kind's nodes depend on. */
const minimumVersion = "20.10.0";

export function checkDocker(
  _settings: Settings,
  { docker, packageManager }: HostFacts,
): HostProblem[] {
  if (!docker.reachable) {
    const problem = unreachable("docker", docker.error, ["docker.io"], packageManager);
    return [{ subject: "Docker", ...problem }];
  }
  if (docker.rootless) {
    return [
      {
        subject: "Docker",
        why: "runs rootless, with its own network, so kind's containers could not be on the machines' bridge",
        instead:
          "Use the system's Docker: unset DOCKER_HOST, or set it to unix:///var/run/docker.sock.",
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
