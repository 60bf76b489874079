/** One Flannel release, and the CNI plugins of its time; without a leading `v`. */
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
