/**
 * The versions of Kubernetes, containerd and Calico that labs are made of, and what goes together. For existing clusters
 * the same limits count. Everything else asks here.
 */

/**
 * kind's node images by Kubernetes version, as the release notes of kind 0.33.0 list them
 * (https://github.com/kubernetes-sigs/kind/releases/tag/v0.33.0); kind warrants no others for itself. The notes
 * themselves could not be had here: all four are as FairwindsOps/rok8s-scripts quotes them (docs, "Upgrading from v16 to
 * v17"), and each of them as other repositories use it with kind 0.33.0.
 */
export const nodeImages: Readonly<Record<string, string>> = {
  "1.34.11":
    "kindest/node:v1.34.11@sha256:44e222ee2132dab25ff87301682f89eb82c7880ea3a1bf543bfe9708fd08d67d",
  "1.35.8":
    "kindest/node:v1.35.8@sha256:07b2536e30b803ed61d1677a79df6115f798ce64c80f9e22f6ed45afd09323c0",
  "1.36.4":
    "kindest/node:v1.36.4@sha256:099e049362a1526b2db71494e1947aae99bd16290d7c895f2b7ea312e3cbfaed",
  "1.37.0":
    "kindest/node:v1.37.0@sha256:a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5",
};

/**
 * The version that labs have by default. It is the only one that is built from Go's modules: in a node image for hosts
 * without a registry, on Linux machines, and in the rehearsal guest.
 */
export const defaultKubernetes = "1.36.4";

/** containerd for Windows: 2.3 has long-term support; 2.4 is in the rehearsal image, and on Linux machines. */
export const containerd = { default: "2.3.4", built: "2.4.2" } as const;

export const containerdVersions: readonly string[] = Object.values(containerd);

/** offline/modules/calico pins the operator's module: change both together. */
export const defaultCalico = "3.32.1";

/** Which minor releases of Kubernetes a part goes together with. */
export interface VersionLimit {
  readonly part: string;
  /** The first one, e.g. `1.31`. */
  readonly least: string;
  /** The last one; undefined if none is known. */
  readonly most?: string;
  /** What is wrong with others, as the rest of a sentence that starts with the version. */
  readonly why: string;
}

/** What limits Kubernetes' version. */
export const kubernetesLimits = {
  kubeadm: {
    part: "kubeadm",
    least: "1.31",
    why: "is older than 1.31, the first whose kubeadm takes the configuration that machines join with (v1beta4)",
  },
  kind: {
    part: "kind 0.33",
    least: "1.31",
    most: "1.37",
    why: "is newer than 1.37, the newest that kind 0.33 makes images of",
  },
  calico: {
    part: "Calico 3.32",
    least: "1.34",
    most: "1.36",
    // Its page "System requirements".
    why: "is not one that Calico 3.32 is tested with (1.34 to 1.36)",
  },
} as const satisfies Readonly<Record<string, VersionLimit>>;

/** What limits the other versions, wherever they come from. */
export const leastVersions = {
  /** Its configuration is that of containerd 2. */
  containerd: "2.0.0",
  /** The first release whose operator installs Calico on Windows nodes (tigera/operator 1.32, `windowsDataplane`). */
  calico: "3.27.0",
} as const;

/** The first Kubernetes that machines can join with. */
export const leastKubernetes = `${kubernetesLimits.kubeadm.least}.0`;

const minorOf = (version: string): number => Number(version.split(".")[1]);

/** Whether a version of Kubernetes, all of which begin with `1.`, is within a limit. */
export function isWithin(version: string, { least, most }: VersionLimit): boolean {
  const minor = minorOf(version);
  return minor >= minorOf(least) && minor <= (most === undefined ? Infinity : minorOf(most));
}
