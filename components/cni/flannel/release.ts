import type { PublishedProgram } from "../published-program.ts";

/** Versions of Flannel and of matching CNI plugins, without a leading `v`. */
export const flannelVersions = {
  daemon: "0.28.9",
  plugin: "1.9.1-flannel3",
  cniPlugins: "1.9.1",
} as const;

/**
 * Flannel's images: the daemon, and the project's CNI plugin, as in its Documentation/kube-flannel.yml (v0.28.9).
 */
export const flannelImages = {
  daemon: `ghcr.io/flannel-io/flannel:v${flannelVersions.daemon}`,
  cniPlugin: `ghcr.io/flannel-io/flannel-cni-plugin:v${flannelVersions.plugin}`,
} as const;

const github = "https://github.com";
const { daemon, plugin, cniPlugins } = flannelVersions;

/** Flannel's release has no checksum files, but GitHub's API returns the SHA-256 of each release asset. */
const flannel = {
  file: "flannel-vVERSION-windows-amd64.tar.gz",
  uri: `${github}/flannel-io/flannel/releases/download/v${daemon}/flannel-v${daemon}-windows-amd64.tar.gz`,
  checksumUri: `https://api.github.com/repos/flannel-io/flannel/releases/tags/v${daemon}`,
};

const withChecksum = (file: string, version: string, repository: string): PublishedProgram => {
  const uri = `${github}/${repository}/releases/download/v${version}/${file.replace("VERSION", version)}`;
  return { file, uri, checksumUri: `${uri}.sha256` };
};

/**
 * Programs on Windows nodes: Flannel's daemon, its CNI plugin, and the plugins it calls (win-overlay, win-bridge,
 * host-local).
 */
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
