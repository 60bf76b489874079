import type { PublishedProgram } from "../cni/pod-network.ts";
import { podNetworkPrograms, type PodNetworkProgram } from "../cni/registry.ts";
import { fileNameOf } from "./media-folder.ts";
import type { CarriedArtifact, ImageManifest } from "./image-manifest.ts";
import type { SoftwareLock } from "../../toolchain/software-lock.ts";

/** The files that no Windows node goes without. */
const neededNames = ["containerd", "kubelet", "kubeadm", "kubeLogRunner"] as const;

/** Kubernetes' and containerd's own; an image may carry no crictl. */
const commonNames = [...neededNames, "crictl"] as const;

type CommonName = (typeof commonNames)[number];

/** The files installed on a Windows node; those behind the needed ones only where the software has them. */
export const programNames: readonly ProgramName[] = [
  ...commonNames,
  ...(Object.keys(podNetworkPrograms) as PodNetworkProgram[]),
];

export type ProgramName = CommonName | PodNetworkProgram;

/** A file a step needs on the machine. */
export interface ProgramArtifact {
  /** https address at its publisher; the last part of its path is the file's name. */
  readonly uri: string;
  /** SHA-256 in lower case; undefined where nobody has pinned one yet: an error when it comes to installing. */
  readonly sha256: string | undefined;
  /** How it gets onto a machine: its image carries it, or this host pushes it there. */
  readonly origin: "image" | HostOrigin;
}

/** A file that this host fetches once and pushes to each machine. */
export interface HostOrigin {
  /** https address of the checksum its publisher gives. */
  readonly checksumUri: string;
  /** Folder named by the SHA-256 that holds the file on this host; undefined until it is fetched. */
  readonly folder: string | undefined;
}

/** Versions of what runs on a Windows node, without a leading `v`. */
export interface WindowsVersions {
  readonly kubernetes: string;
  readonly containerd: string;
}

/** What is installed on a Windows node, and where it comes from. */
export interface WindowsSoftware
  extends
    Readonly<Record<(typeof neededNames)[number], ProgramArtifact>>,
    // Those of the pod network that is installed.
    Readonly<Partial<Record<PodNetworkProgram, ProgramArtifact | undefined>>> {
  readonly versions: WindowsVersions;
  /** For people who look at a node, which works without: undefined where an image carries none. */
  readonly crictl: ProgramArtifact | undefined;
  /** Sandbox image: the first with a manifest for Windows Server 2025, and containerd 2.3's own default. */
  readonly pauseImage: string;
}

/** What is known of the programs on this host. */
export interface KnownPrograms {
  /** Checksums of the settings; they go before those of the lock. */
  readonly checksums: Readonly<Partial<Record<ProgramName, string>>>;
  /** Checksums taken from publishers, by address. */
  readonly lock: SoftwareLock;
  /** Folders of fetched files, by SHA-256. */
  readonly folders: Readonly<Record<string, string>>;
}

const pauseImage = "registry.k8s.io/pause:3.10.2";

/** cri-tools' release for Kubernetes 1.36; it speaks CRI v1, as every containerd 2.x does. */
const crictlVersion = "1.36.0";

/**
 * Kubernetes' and containerd's own releases.
 *
 * @param ofPodNetwork what the pod network adds.
 */
export function officialSoftware(
  versions: WindowsVersions,
  known: KnownPrograms,
  ofPodNetwork: Readonly<Record<string, PublishedProgram>> = {},
): WindowsSoftware {
  const common = commonNames.map((name) => [name, published(name, versions)] as const);
  const artifacts = [...common, ...Object.entries(ofPodNetwork)].map(
    ([name, { uri, checksumUri }]): [string, ProgramArtifact] => {
      const sha256 = known.checksums[name as ProgramName] ?? known.lock[uri]?.sha256;
      const folder = sha256 === undefined ? undefined : known.folders[sha256];
      return [name, { uri, sha256, origin: { checksumUri, folder } }];
    },
  );
  return {
    versions,
    pauseImage,
    ...(Object.fromEntries(artifacts) as Readonly<Record<CommonName, ProgramArtifact>>),
  };
}

/**
 * What an image carries already: addresses as of the official releases, checksums from the image's manifest.
 *
 * @throws when the image carries other files than those versions have.
 */
export function imageSoftware(versions: WindowsVersions, manifest: ImageManifest): WindowsSoftware {
  const carried = (name: CommonName, { fileName, sha256 }: CarriedArtifact): ProgramArtifact => {
    const { uri } = published(name, versions);
    const asked = fileNameOf({ uri });
    if (asked !== fileName) {
      throw new Error(
        `the image carries ${fileName}, but the settings ask for ${asked}: ` +
          `set windows.containerdVersion and cluster.kubernetesVersion to what the image was built for`,
      );
    }
    return { uri, sha256, origin: "image" };
  };
  const { containerd, kubelet, kubeadm, kubeLogRunner, crictl } = manifest.media;
  return {
    versions,
    pauseImage,
    containerd: carried("containerd", containerd),
    kubelet: carried("kubelet", kubelet),
    kubeadm: carried("kubeadm", kubeadm),
    kubeLogRunner: carried("kubeLogRunner", kubeLogRunner),
    crictl: crictl && carried("crictl", crictl),
  };
}

/** The files that a software consists of, by their names. */
export function programArtifacts(
  software: WindowsSoftware,
): (readonly [ProgramName, ProgramArtifact])[] {
  return programNames.flatMap((name) => {
    const artifact = software[name];
    return artifact === undefined ? [] : [[name, artifact] as const];
  });
}

/** Files whose checksum is not known. */
export function unpinned(software: WindowsSoftware): ProgramArtifact[] {
  return programArtifacts(software)
    .map(([, artifact]) => artifact)
    .filter(({ sha256 }) => sha256 === undefined);
}

/** What to do about files without a checksum. */
export function unpinnedMessage(artifacts: readonly ProgramArtifact[]): string {
  const uris = artifacts.map(({ uri }) => uri).join(", ");
  if (artifacts.every(({ origin }) => origin === "image")) {
    return `the image that carries ${uris} is not made yet: run \`./kindows prepare --stack <name>\``;
  }
  return (
    `no checksum is known for ${uris}: nothing is installed without one. ` +
    `Run \`./kindows fetch --stack <name>\`, which takes the ones their publishers give and writes them to software.lock.json, ` +
    `or write them into windows.checksums`
  );
}

/**
 * Addresses of a release's file and of its checksum: dl.k8s.io has a bare one in `<file>.sha256`, containerd's releases
 * have one with the file's name in `<file>.sha256sum` (its Makefile runs `sha256sum`), cri-tools' a bare one in
 * `<file>.sha256` (its hack/release.sh).
 */
function published(
  name: CommonName,
  versions: WindowsVersions,
): Pick<PublishedProgram, "uri" | "checksumUri"> {
  if (name === "containerd") {
    const uri =
      `https://github.com/containerd/containerd/releases/download/v${versions.containerd}/` +
      `containerd-${versions.containerd}-windows-amd64.tar.gz`;
    return { uri, checksumUri: `${uri}.sha256sum` };
  }
  if (name === "crictl") {
    const uri =
      `https://github.com/kubernetes-sigs/cri-tools/releases/download/v${crictlVersion}/` +
      `crictl-v${crictlVersion}-windows-amd64.tar.gz`;
    return { uri, checksumUri: `${uri}.sha256` };
  }
  const fileName = {
    kubelet: "kubelet.exe",
    kubeadm: "kubeadm.exe",
    kubeLogRunner: "kube-log-runner.exe",
  }[name];
  const uri = `https://dl.k8s.io/v${versions.kubernetes}/bin/windows/amd64/${fileName}`;
  return { uri, checksumUri: `${uri}.sha256` };
}
