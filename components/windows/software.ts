import type { ImageManifest } from "./image-manifest.ts";
import type { SoftwareLock } from "./software-lock.ts";

/** The files installed on a Windows node. */
export const mediumNames = ["containerd", "kubelet", "kubeadm", "kubeLogRunner"] as const;

export type MediumName = (typeof mediumNames)[number];

/** A file a step needs on the machine. */
export interface Medium {
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
export interface WindowsSoftware extends Readonly<Record<MediumName, Medium>> {
  readonly versions: WindowsVersions;
  /** Sandbox image: the first with a manifest for Windows Server 2025, and containerd 2.3's own default. */
  readonly pauseImage: string;
}

/** What is known of the programs on this host. */
export interface KnownPrograms {
  /** Checksums of the settings; they go before those of the lock. */
  readonly checksums: Readonly<Partial<Record<MediumName, string>>>;
  /** Checksums taken from publishers, by address. */
  readonly lock: SoftwareLock;
  /** Folders of fetched files, by SHA-256. */
  readonly folders: Readonly<Record<string, string>>;
}

const pauseImage = "registry.k8s.io/pause:3.10.2";

/** Kubernetes' and containerd's own releases. */
export function officialSoftware(versions: WindowsVersions, known: KnownPrograms): WindowsSoftware {
  const medium = (name: MediumName): Medium => {
    const { uri, checksumUri } = published(name, versions);
    const sha256 = known.checksums[name] ?? known.lock[uri]?.sha256;
    const folder = sha256 === undefined ? undefined : known.folders[sha256];
    return { uri, sha256, origin: { checksumUri, folder } };
  };
  return {
    versions,
    pauseImage,
    containerd: medium("containerd"),
    kubelet: medium("kubelet"),
    kubeadm: medium("kubeadm"),
    kubeLogRunner: medium("kubeLogRunner"),
  };
}

/**
 * What an image carries already: addresses as of the official releases, checksums from the image's manifest.
 *
 * @throws when the image carries other files than those versions have.
 */
export function imageSoftware(versions: WindowsVersions, manifest: ImageManifest): WindowsSoftware {
  const medium = (name: MediumName): Medium => {
    const { uri } = published(name, versions);
    const { fileName, sha256 } = manifest.media[name];
    const asked = fileNameOf({ uri });
    if (asked !== fileName) {
      throw new Error(
        `the image carries ${fileName}, but the settings ask for ${asked}: ` +
          `set windows.containerdVersion and cluster.kubernetesVersion to what the image was built for`,
      );
    }
    return { uri, sha256, origin: "image" };
  };
  return {
    versions,
    pauseImage,
    containerd: medium("containerd"),
    kubelet: medium("kubelet"),
    kubeadm: medium("kubeadm"),
    kubeLogRunner: medium("kubeLogRunner"),
  };
}

/** Files whose checksum is not known. */
export function unpinned(software: WindowsSoftware): Medium[] {
  return mediumNames.map((name) => software[name]).filter((medium) => medium.sha256 === undefined);
}

/** What to do about files without a checksum. */
export function unpinnedMessage(media: readonly Medium[]): string {
  const uris = media.map(({ uri }) => uri).join(", ");
  if (media.every(({ origin }) => origin === "image")) {
    return `the image that carries ${uris} is not made yet: run \`./kindows prepare\``;
  }
  return (
    `no checksum is known for ${uris}: nothing is installed without one. ` +
    `Run \`./kindows fetch\`, which takes the ones their publishers give and writes them to software.lock.json, ` +
    `or write them into windows.checksums`
  );
}

/** Name of its file: the last part of its address. */
export function fileNameOf({ uri }: Pick<Medium, "uri">): string {
  return uri.slice(uri.lastIndexOf("/") + 1);
}

/**
 * Addresses of a release's file and of its checksum: dl.k8s.io has a bare one in `<file>.sha256`, containerd's releases
 * have one with the file's name in `<file>.sha256sum` (its Makefile runs `sha256sum`).
 */
function published(
  name: MediumName,
  versions: WindowsVersions,
): { readonly uri: string; readonly checksumUri: string } {
  if (name === "containerd") {
    const uri =
      `https://github.com/containerd/containerd/releases/download/v${versions.containerd}/` +
      `containerd-${versions.containerd}-windows-amd64.tar.gz`;
    return { uri, checksumUri: `${uri}.sha256sum` };
  }
  const fileName = {
    kubelet: "kubelet.exe",
    kubeadm: "kubeadm.exe",
    kubeLogRunner: "kube-log-runner.exe",
  }[name];
  const uri = `https://dl.k8s.io/v${versions.kubernetes}/bin/windows/amd64/${fileName}`;
  return { uri, checksumUri: `${uri}.sha256` };
}
