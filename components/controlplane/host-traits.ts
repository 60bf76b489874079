import type { HostTraits } from "./kind-config.ts";

/** Bit of CAP_SYS_RESOURCE in the capability masks of /proc/<pid>/status. */
const capSysResource = 24n;

/**
 * Traits of the host kind runs on.
 *
 * @param dockerInfo `docker info --format '{{json .}}'`.
 * @param processStatus /proc/self/status of a root process on the same host: what it may not have, no container gets.
 * @throws when Docker does not say its control group version.
 */
export function hostTraits(dockerInfo: string, processStatus: string): HostTraits {
  const { CgroupVersion: version } = JSON.parse(dockerInfo) as { CgroupVersion?: string };
  if (version !== "1" && version !== "2") {
    throw new Error(
      "Docker does not say its cgroup version: it must be 20.10 or newer and running",
    );
  }
  const bounding = /^CapBnd:\s*([0-9a-f]+)$/m.exec(processStatus)?.[1];
  if (bounding === undefined) {
    throw new Error("the process status has no CapBnd line");
  }
  return {
    cgroupVersion: version === "1" ? 1 : 2,
    mayLowerOomScore: ((BigInt(`0x${bounding}`) >> capSysResource) & 1n) === 1n,
  };
}
