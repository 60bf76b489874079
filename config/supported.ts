/** Kubernetes versions every part is pinned for: node image, kubelet and kubeadm for Windows, kube-proxy. */
export const kubernetesVersions = ["1.36.4"] as const;

/** containerd for Windows: 2.3 is the line with long-term support; 2.4 is what the rehearsal image holds. */
export const containerdVersions = ["2.3.4", "2.4.2"] as const;

export const defaultContainerdVersion = "2.3.4";

/** What the rehearsal image holds: the only versions a rehearsal can be of. */
export const rehearsalVersions = { windows: "2022", containerd: "2.4.2" } as const;

/** Windows Server versions whose containers and networking the program knows. */
export const windowsVersions = ["2022", "2025"] as const;

export type WindowsVersion = (typeof windowsVersions)[number];

/** @throws if it is none of them, which checked settings never are. */
export function windowsVersionOf(version: string): WindowsVersion {
  const found = windowsVersions.find((one) => one === version);
  if (found === undefined) {
    throw new Error(`"${version}" is not a supported Windows Server version`);
  }
  return found;
}

/** Build of each of them: what its installation media and its `ver` say. */
export const windowsBuilds: Readonly<Record<WindowsVersion, number>> = {
  "2022": 20348,
  "2025": 26100,
};

/** Editions an image can be made of; a node needs no desktop, and an image without one is smaller. */
export const windowsEditions = [
  "standard-core",
  "standard-desktop",
  "datacenter-core",
  "datacenter-desktop",
] as const;

export type WindowsEdition = (typeof windowsEditions)[number];
