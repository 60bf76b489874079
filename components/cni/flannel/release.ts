import type { PublishedProgram } from "../pod-network.ts";

/** A Flannel release, and matching CNI plugins; without a leading `v`. */
export const flannelVersions = {
  daemon: "0.28.9",
  plugin: "1.9.1-flannel3",
  cniPlugins: "1.9.1",
} as const;

/**
 * Its images, as its Documentation/kube-flannel.yml (v0.28.9) names them: the daemon, and the CNI plugin of the same
 * project.
 */
export const flannelImages = {
  daemon: `ghcr.io/flannel-io/flannel:v${flannelVersions.daemon}`,
  cniPlugin: `ghcr.io/flannel-io/flannel-cni-plugin:v${flannelVersions.plugin}`,
} as const;

const github = "https://github.com";
const { daemon, plugin, cniPlugins } = flannelVersions;

/** Flannel's own release. It has no checksum files, but GitHub knows the SHA-256 of each release asset. */
const flannel = {
  file: "flannel-vVERSION-windows-amd64.tar.gz",
  uri: `${github}/flannel-io/flannel/releases/download/v${daemon}/flannel-v${daemon}-windows-amd64.tar.gz`,
  checksumUri: `https://api.github.com/repos/flannel-io/flannel/releases/tags/v${daemon}`,
};

const withChecksum = (file: string, version: string, repository: string): PublishedProgram => {
  const uri = `${github}/${repository}/releases/download/v${version}/${file.replace("VERSION", version)}`;
  return { file, uri, checksumUri: `${uri}.sha256` };
};

/** Programs of Windows nodes: its daemon, its CNI plugin, and win-overlay, win-bridge and host-local, which that calls. */
export const flannelPrograms = {
  flannel,
  flannelPlugin: withChecksum(
    "cni-plugin-flannel-windows-amd64-vVERSION.tgz",
    plugin,
    "flannel-io/cni-plugin",
  ),
  cniPlugins: withChecksum(
    "cni-plugins-windows-amd64-vVERSION.tgz",
    cniPlugins,
    "containernetworking/plugins",
  ),
};
