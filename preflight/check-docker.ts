import semver from "semver";
import { installText, joinCommand, startCommand } from "../toolchain/host-packages.ts";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

/** The first to say its control group version, which kind's nodes depend on. */
const minimumVersion = "20.10.0";

/** Docker is there, new enough, and has the host's bridges. */
export function checkDocker(
  _settings: Settings,
  { docker, packageManager }: HostFacts,
): HostProblem[] {
  if (!docker.reachable) {
    return [
      {
        subject: "Docker",
        why: `can't be reached: ${docker.error}`,
        instead: `Run \`make up\` as root, which installs and starts what is missing, or do so yourself: ${installText(packageManager, ["docker.io"])}; ${startCommand("docker", packageManager)}. Who is not root has to be in its group: ${joinCommand("docker")}, then log in again.`,
      },
    ];
  }
  if (docker.rootless) {
    return [
      {
        subject: "Docker",
        why: "runs rootless, with a network of its own, so that kind's containers could not be on the machines' bridge",
        instead:
          "Use the system's Docker: unset DOCKER_HOST, or set it to unix:///var/run/docker.sock.",
      },
    ];
  }
  // Docker's versions up to 20.10 had leading zeros, e.g. 19.03.13.
  const version = semver.coerce(docker.version, { loose: true });
  return version !== null && semver.lt(version, minimumVersion)
    ? [
        {
          subject: `Docker ${docker.version}`,
          why: "is too old for kind",
          instead: `Install ${minimumVersion} or newer.`,
        },
      ]
    : [];
}
