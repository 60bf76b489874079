import type { Complaint } from "../../config/problem.ts";
import { leastVersions } from "../../host/versions.ts";

const containerdMajor = Number(leastVersions.containerd.split(".")[0]);

/** Minor releases from one to another, e.g. `1.33-1.36`. */
type Releases = `${number}.${number}-${number}.${number}`;

interface OwnProgram {
  /** Folder on the machine, in the form that SFTP takes. */
  readonly folder: string;
  /** Name of its file there; undefined if it keeps its own. */
  readonly file?: string;
  /** Releases that work with a cluster's version; undefined if any does. */
  readonly releases?: (minor: number) => Releases;
  /** What the releases are, as the rest of a sentence about the program. */
  readonly rule?: string;
}

/** Kubernetes' version skew policy: not newer than the API server, and at most three minor releases older. */
const nodeProgram = {
  folder: "C:/k",
  releases: (minor: number): Releases => `1.${minor - 3}-1.${minor}`,
  rule: "must not be newer than the API server, nor more than three minor releases older (https://kubernetes.io/releases/version-skew-policy/)",
};

/** The programs that a user can give in place of a published one. */
export const ownPrograms = {
  kubelet: { ...nodeProgram, file: "kubelet.exe" },
  kubeadm: {
    folder: "C:/k",
    file: "kubeadm.exe",
    releases: (minor: number): Releases => `1.${minor}-1.${minor}`,
    rule: "must be of the same minor release as the kubeadm that made the cluster",
  },
  kubeProxy: { ...nodeProgram, file: "kube-proxy.exe" },
  containerd: {
    folder: "C:/Program Files/containerd",
    file: "containerd.exe",
    releases: (): Releases => `${containerdMajor}.0-${containerdMajor}.999`,
    rule: `must be a version ${containerdMajor}, whose configuration kindows writes`,
  },
  cniPlugins: { folder: "C:/opt/cni/bin" },
} as const satisfies Record<string, OwnProgram>;

export type OwnProgramName = keyof typeof ownPrograms;

export const ownProgramNames = Object.keys(ownPrograms) as OwnProgramName[];

/** Releases that a program may be of, for the scripts; empty: any. @param cluster Kubernetes version without a leading `v`. */
export function allowedReleases(program: OwnProgramName, cluster: string): string {
  const { releases }: OwnProgram = ownPrograms[program];
  return releases?.(Number(cluster.split(".")[1])) ?? "";
}

/** What is wrong with a program's version, if it is known. A version that is not is looked at on the machine. */
export function versionComplaint(
  program: OwnProgramName,
  version: string | undefined,
  cluster: string,
): Complaint | undefined {
  const { rule }: OwnProgram = ownPrograms[program];
  const releases = allowedReleases(program, cluster);
  if (version === undefined || rule === undefined || isAmong(version, releases)) return undefined;
  return {
    why: `is version ${version}, and the cluster's Kubernetes is ${cluster}: ${program} ${rule}`,
    instead: `Build one of ${releases.replace("-", " to ").replace("2.0 to 2.999", "2.x")}.`,
  };
}

function isAmong(version: string, releases: string): boolean {
  const number = (text: string): number => {
    const [major = "", minor = ""] = text.split(".");
    return Number(major) * 1000 + Number(minor);
  };
  const [least = "", most = ""] = releases.split("-");
  return number(version) >= number(least) && number(version) <= number(most);
}
