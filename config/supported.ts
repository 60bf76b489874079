import { containerd, defaultKubernetes } from "../host/versions.ts";

/** Versions in the rehearsal image, the only ones that a rehearsal can have. */
export const rehearsalVersions = {
  windows: "2022",
  containerd: containerd.built,
  kubernetes: defaultKubernetes,
} as const;

export const windowsVersions = ["2022", "2025"] as const;

export type WindowsVersion = (typeof windowsVersions)[number];

/** @throws if the version is not supported, which never happens with checked settings. */
export function windowsVersionOf(version: string): WindowsVersion {
  const found = windowsVersions.find((one) => one === version);
  if (found === undefined) {
    throw new Error(`"${version}" is not a supported Windows Server version`);
  }
  return found;
}

/** Build number of each version, as its installation media and its `ver` command show it. */
export const windowsBuilds: Readonly<Record<WindowsVersion, number>> = {
  "2022": 20348,
  "2025": 26100,
};

/** Editions that an image can be built from; a node needs no desktop, and an image without one is smaller. */
export const windowsEditions = [
  "standard-core",
  "standard-desktop",
  "datacenter-core",
  "datacenter-desktop",
] as const;

export type WindowsEdition = (typeof windowsEditions)[number];
