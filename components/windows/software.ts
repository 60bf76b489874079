import type { OwnFiles } from "./own-files.ts";
import { allowedReleases, type OwnProgramName } from "./own-programs.ts";
import { fileNameOf } from "./media-folder.ts";
import type { CarriedArtifact, ImageManifest } from "./image-manifest.ts";
import {
  type SoftwareLock,
  readSoftwareLock,
  softwareLockFile,
} from "../../toolchain/software-lock.ts";
import { builtSoFar } from "../../toolchain/built.ts";
import type { PublishedProgram } from "../cni/published-program.ts";
import { podNetworkPrograms, type PodNetworkProgram } from "../cni/programs.ts";

const neededNames = ["containerd", "kubelet", "kubeadm", "kubeLogRunner"] as const;

/** Programs that do not depend on the pod network. An image may lack crictl. */
const commonNames = [...neededNames, "crictl"] as const;

type CommonName = (typeof commonNames)[number];

type CommonArtifacts = Readonly<
  Record<(typeof neededNames)[number], ProgramArtifact> & {
    crictl: ProgramArtifact | undefined;
  }
>;

/** The files installed on a Windows node; optional ones come last. */
export const programNames: readonly ProgramName[] = [
  ...commonNames,
  ...(Object.keys(podNetworkPrograms) as PodNetworkProgram[]),
  "kubeProxy",
];

/** kube-proxy is a program on a node only if the user has one; otherwise it is in its container's image. */
export type ProgramName = CommonName | PodNetworkProgram | "kubeProxy";

export interface ProgramArtifact {
  /** https URL at the publisher. Its last part is the file's name. */
  readonly uri: string;
  /** SHA-256 in lower case; undefined if none is pinned yet. Installing such a program is an error. */
  readonly sha256: string | undefined;
  /**
   * `image` if the machine's image contains the program; otherwise this host downloads it and pushes it to the machine.
   */
  readonly origin: "image" | HostOrigin;
  /**
   * The minor releases that a program of the user's may be of, e.g. `1.33-1.36`, or empty for any. Undefined for a
   * published program, which is of exactly the version that was asked for.
   */
  readonly releases?: string;
}

/** A file that this host downloads once and pushes to each machine. */
export interface HostOrigin {
  /** https URL of the publisher's checksum; empty if only the known one counts. */
  readonly checksumUri: string;
  /** Folder of the file on this host, named by the SHA-256; undefined until it is downloaded. */
  readonly folder: string | undefined;
}

/** Versions of a Windows node's programs, without a leading `v`. */
export interface WindowsVersions {
  readonly kubernetes: string;
  readonly containerd: string;
}

/** The programs of a Windows node, and their origins. */
export interface WindowsSoftware
  extends
    // crictl is for debugging a node, which works without it.
    CommonArtifacts,
    // The pod network's programs.
    Readonly<Partial<Record<PodNetworkProgram | "kubeProxy", ProgramArtifact | undefined>>> {
  readonly versions: WindowsVersions;
  /** Image of the pods' sandbox containers. */
  readonly pauseImage: string;
}

/** What this host knows about programs. */
export interface KnownPrograms {
  /** Checksums from the settings, which take precedence over the lock. */
  readonly checksums: Readonly<Partial<Record<ProgramName, string>>>;
  /** Checksums from publishers, by URL. */
  readonly lock: SoftwareLock;
  /** Folders of downloaded files, by SHA-256. */
  readonly folders: Readonly<Record<string, string>>;
}

/** The first tag with a manifest for Windows Server 2025, and containerd 2.3's default. */
const pauseImage = "registry.k8s.io/pause:3.10.2";

/** The cri-tools release for Kubernetes 1.36. It speaks CRI v1, as every containerd 2.x does. */
const crictlVersion = "1.36.0";

/**
 * The official releases of Kubernetes, containerd, crictl and the pod network.
 *
 * @param ofPodNetwork programs of the pod network.
 */
export function officialSoftware(
  versions: WindowsVersions,
  known: KnownPrograms,
  ofPodNetwork: Readonly<Record<string, PublishedProgram>> = {},
): WindowsSoftware {
  const files = Object.entries({ ...published(versions), ...ofPodNetwork });
  const artifacts = files.map(([name, { uri, checksumUri }]): [string, ProgramArtifact] => {
    const sha256 = known.checksums[name as ProgramName] ?? known.lock[uri]?.sha256;
    const folder = sha256 === undefined ? undefined : known.folders[sha256];
    return [name, { uri, sha256, origin: { checksumUri, folder } }];
  });
  return { versions, pauseImage, ...(Object.fromEntries(artifacts) as CommonArtifacts) };
}

/**
 * The programs in an image, with the URLs of the official releases and the checksums of the image's manifest.
 *
 * @param ofPodNetwork programs of the pod network.
 * @throws if the image contains other versions.
 */
export function imageSoftware(
  versions: WindowsVersions,
  manifest: ImageManifest,
  ofPodNetwork: Readonly<Record<string, PublishedProgram>> = {},
): WindowsSoftware {
  const files = Object.entries({ ...published(versions), ...ofPodNetwork });
  const media: Readonly<Record<string, CarriedArtifact | undefined>> = manifest.media;
  const artifacts = files.flatMap(([name, { uri }]): [string, ProgramArtifact][] => {
    const carried = media[name];
    if (carried === undefined) return [];
    const { fileName, sha256 } = carried;
    const wanted = fileNameOf({ uri });
    if (wanted !== fileName) {
      throw new Error(
        `the image carries ${fileName}, but the settings ask for ${wanted}: ` +
          `set windows.containerdVersion and cluster.kubernetesVersion to what the image was built for`,
      );
    }
    return [[name, { uri, sha256, origin: "image" }]];
  });
  return { versions, pauseImage, ...(Object.fromEntries(artifacts) as CommonArtifacts) };
}

/** The same software with the user's own programs in place of the published ones. */
export function withOwnPrograms(
  software: WindowsSoftware,
  ownFiles: OwnFiles,
  folders: KnownPrograms["folders"] = builtSoFar().windowsPrograms ?? {},
): WindowsSoftware {
  const own = Object.entries(ownFiles).map(([name, { uri, sha256 }]) => {
    const releases = allowedReleases(name as OwnProgramName, software.versions.kubernetes);
    const origin = { checksumUri: "", folder: folders[sha256] };
    return [name, { uri, sha256, releases, origin } satisfies ProgramArtifact] as const;
  });
  return { ...software, ...(Object.fromEntries(own) as object) };
}

export function programArtifacts(
  software: WindowsSoftware,
): (readonly [ProgramName, ProgramArtifact])[] {
  return programNames.flatMap((name) => {
    const artifact = software[name];
    return artifact === undefined ? [] : [[name, artifact] as const];
  });
}

export function unpinned(software: WindowsSoftware): ProgramArtifact[] {
  return programArtifacts(software)
    .map(([, artifact]) => artifact)
    .filter(({ sha256 }) => sha256 === undefined);
}

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
 * URLs of each release's file and of its checksum. dl.k8s.io has the bare checksum in `<file>.sha256`, as cri-tools'
 * releases do (hack/release.sh). containerd's releases have the checksum and the file's name in `<file>.sha256sum` (the
 * Makefile runs `sha256sum`).
 */
function published({
  containerd,
  kubernetes,
}: WindowsVersions): Readonly<Record<CommonName, Pick<PublishedProgram, "uri" | "checksumUri">>> {
  const onGithub = (repository: string, version: string, stem: string): string =>
    `https://github.com/${repository}/releases/download/v${version}/${stem}-windows-amd64.tar.gz`;
  const withChecksum = (uri: string, ending = "sha256") => ({
    uri,
    checksumUri: `${uri}.${ending}`,
  });
  const ofKubernetes = (file: string) =>
    withChecksum(`https://dl.k8s.io/v${kubernetes}/bin/windows/amd64/${file}`);
  return {
    containerd: withChecksum(
      onGithub("containerd/containerd", containerd, `containerd-${containerd}`),
      "sha256sum",
    ),
    kubelet: ofKubernetes("kubelet.exe"),
    kubeadm: ofKubernetes("kubeadm.exe"),
    kubeLogRunner: ofKubernetes("kube-log-runner.exe"),
    crictl: withChecksum(
      onGithub("kubernetes-sigs/cri-tools", crictlVersion, `crictl-v${crictlVersion}`),
    ),
  };
}

/**
 * Checksums and downloaded files of programs, from the settings and this clone's lock and cache.
 *
 * @param checksums checksums from the settings.
 * @throws if the lock cannot be read.
 */
export function knownPrograms(checksums: KnownPrograms["checksums"]): KnownPrograms {
  return {
    checksums,
    lock: readSoftwareLock(softwareLockFile),
    folders: builtSoFar().windowsPrograms ?? {},
  };
}
