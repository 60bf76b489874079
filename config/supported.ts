/** Kubernetes versions for which all parts are pinned: node image, kubelet and kubeadm for Windows, and kube-proxy. */
export const kubernetesVersions = ["1.36.4"] as const;

/** The first Kubernetes that machines can join with: its kubeadm knows v1beta4, the configuration that Join-Node writes. */
export const leastKubernetes = "1.31.0";

/** containerd for Windows: 2.3 has long-term support; 2.4 is in the rehearsal image. */
export const containerdVersions = ["2.3.4", "2.4.2"] as const;

export const defaultContainerdVersion = "2.3.4";

/** Versions in the rehearsal image, the only ones that a rehearsal can have. */
export const rehearsalVersions = { windows: "2022", containerd: "2.4.2" } as const;

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
