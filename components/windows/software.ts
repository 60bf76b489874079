import type { ImageManifest } from "./image-manifest.ts";

/** A file a step needs on the machine. */
export interface Medium {
  /** https address; the last part of its path is the file's name. */
  readonly uri: string;
  /** SHA-256 in lower case; undefined where nobody has pinned one yet: an error when it comes to installing. */
  readonly sha256: string | undefined;
}

/** Versions of what runs on a Windows node, without a leading `v`. */
export interface WindowsVersions {
  readonly kubernetes: string;
  readonly containerd: string;
}

/** What is installed on a Windows node, and where it comes from. */
export interface WindowsSoftware {
  readonly versions: WindowsVersions;
  /** Sandbox image: the first with a manifest for Windows Server 2025, and containerd 2.3's own default. */
  readonly pauseImage: string;
  readonly containerd: Medium;
  readonly kubelet: Medium;
  readonly kubeadm: Medium;
  readonly kubeLogRunner: Medium;
}

const pauseImage = "registry.k8s.io/pause:3.10.2";

/**
 * Checksums by address.
 *
 * To add one: take it from the file its publisher puts beside the download (`<address>.sha256` on dl.k8s.io,
 * `<address>.sha256sum` at containerd's releases) and compare it with that of a download over another network.
 */
const pinnedSha256: Readonly<Record<string, string>> = {};

/** Kubernetes' and containerd's own releases. */
export function officialSoftware(versions: WindowsVersions): WindowsSoftware {
  const kubernetes = `https://dl.k8s.io/v${versions.kubernetes}/bin/windows/amd64`;
  return {
    versions,
    pauseImage,
    containerd: pinned(
      `https://github.com/containerd/containerd/releases/download/v${versions.containerd}/` +
        `containerd-${versions.containerd}-windows-amd64.tar.gz`,
    ),
    kubelet: pinned(`${kubernetes}/kubelet.exe`),
    kubeadm: pinned(`${kubernetes}/kubeadm.exe`),
    kubeLogRunner: pinned(`${kubernetes}/kube-log-runner.exe`),
  };
}

/**
 * What an image carries already: addresses as of the official releases, checksums from the image's manifest.
 *
 * @throws when the image carries other files than those versions have.
 */
export function imageSoftware(versions: WindowsVersions, manifest: ImageManifest): WindowsSoftware {
  const official = officialSoftware(versions);
  const carried = (name: keyof ImageManifest["media"]): Medium => {
    const asked = official[name];
    const { fileName, sha256 } = manifest.media[name];
    if (fileNameOf(asked) !== fileName) {
      throw new Error(
        `the image carries ${fileName}, but the settings ask for ${fileNameOf(asked)}: ` +
          `set windows.containerdVersion and cluster.kubernetesVersion to what the image was built for`,
      );
    }
    return { uri: asked.uri, sha256 };
  };
  return {
    ...official,
    containerd: carried("containerd"),
    kubelet: carried("kubelet"),
    kubeadm: carried("kubeadm"),
    kubeLogRunner: carried("kubeLogRunner"),
  };
}

/** Addresses whose checksum is not known. */
export function unpinned(software: WindowsSoftware): string[] {
  return [software.containerd, software.kubelet, software.kubeadm, software.kubeLogRunner]
    .filter((medium) => medium.sha256 === undefined)
    .map((medium) => medium.uri);
}

/** What to do about addresses without a checksum. */
export function unpinnedMessage(uris: readonly string[]): string {
  return (
    `no checksum is known for ${uris.join(", ")}: nothing is installed without one. ` +
    `Add it to pinnedSha256 in components/windows/software.ts, as described there, ` +
    `or use an image that carries these files (windows.image)`
  );
}

function pinned(uri: string): Medium {
  return { uri, sha256: pinnedSha256[uri] };
}

/** Name of its file: the last part of its address. */
export function fileNameOf({ uri }: Medium): string {
  return uri.slice(uri.lastIndexOf("/") + 1);
}
