import semver from "semver";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

/** The first to say its control group version, which kind's nodes depend on. */
const minimumVersion = "20.10.0";

/** Docker is there, new enough, and has the host's bridges. */
export function judgeDocker(_settings: Settings, { docker }: HostFacts): HostProblem[] {
  if (!docker.reachable) {
    return [
      {
        subject: "Docker",
        why: `can't be reached: ${docker.error}`,
        instead:
          "Run `make up`, which installs and starts what is missing, or do so yourself: apt-get install docker.io; systemctl start docker.",
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
