import { fileURLToPath } from "node:url";
import { coredns, etcd } from "../../toolchain/tools/table.ts";
import type { Pieces } from "./debian-pieces.ts";
import type { ImageRecipe } from "./image-packing.ts";
import type { ProgramPath } from "./programs.ts";

/**
 * Kubernetes' own image for network tests, in the version that belongs to the Kubernetes version of this project. It is
 * a multi-platform image, from which containerd chooses what fits the node's operating system and build.
 *
 * A node image that is built here contains a smaller image for Linux with this reference.
 */
export const agnhostImage = "registry.k8s.io/e2e-test-images/agnhost:2.63.0";

/** iptables for kube-proxy and pod-routes: Debian's nft variant, which works with every kernel that kind supports. */
const networkPieces: Pieces = {
  packages: ["iptables", "nftables", "conntrack", "iproute2", "kmod", "bash", "coreutils", "mount"],
  alternatives: ["", "-save", "-restore"].flatMap((suffix) => [
    `/usr/sbin/iptables${suffix}`,
    `/usr/sbin/ip6tables${suffix}`,
  ]),
};

export const defaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * The images in a node image, so that nothing has to be pulled: those of `kubeadm config images list` under kubeadm's
 * tags, pause under the tag in kind's containerd configuration, those of the default CNI and storage manifests, and the
 * one that `kindows verify` runs.
 */
export function imageRecipes(program: ProgramPath, kubernetesVersion: string): ImageRecipe[] {
  const component = (name: Parameters<ProgramPath>[0], tag: string): ImageRecipe => ({
    reference: `registry.k8s.io/${name}:${tag}`,
    files: { [`/usr/local/bin/${name}`]: { host: program(name) } },
    config: { environment: [defaultPath] },
  });
  const version = `v${kubernetesVersion}`;
  const podRoutes = fileURLToPath(new URL("files/pod-routes.sh", import.meta.url));
  return [
    component("kube-apiserver", version),
    component("kube-controller-manager", version),
    component("kube-scheduler", version),
    { ...component("kube-proxy", version), pieces: networkPieces },
    component("etcd", `${etcd.tool.version}-0`),
    {
      reference: `registry.k8s.io/coredns/coredns:v${coredns.tool.version}`,
      files: { "/coredns": { host: program("coredns") } },
      config: { entrypoint: ["/coredns"] },
    },
    {
      reference: "registry.k8s.io/pause:3.10",
      // A static init whose pause mode does the same as pause: it sleeps, and reaps the pod's orphaned processes.
      files: { "/pause": { root: "/usr/bin/catatonit" } },
      config: { entrypoint: ["/pause", "-P"] },
    },
    {
      reference: "kindows.local/pod-routes:v1",
      files: { "/usr/local/bin/pod-routes": { host: podRoutes } },
      pieces: networkPieces,
      config: { entrypoint: ["/usr/local/bin/pod-routes"], environment: [defaultPath] },
    },
    {
      // Upstream's image has more programs. `kindows verify` and its samples use only these.
      reference: agnhostImage,
      files: { "/agnhost": { host: program("agnhost") } },
      pieces: { packages: ["bash", "coreutils", "curl"], alternatives: [] },
      config: { entrypoint: ["/agnhost"], environment: [defaultPath] },
    },
    {
      reference: "kindows.local/local-path-provisioner:v0.0.30",
      files: {
        "/usr/local/bin/local-path-provisioner": { host: program("local-path-provisioner") },
      },
      config: { entrypoint: ["/usr/local/bin/local-path-provisioner"] },
    },
    {
      reference: "kindows.local/local-path-helper:v1",
      files: {
        "/bin/busybox": { root: "/bin/busybox" },
        "/bin/sh": { linkTo: "busybox" },
        "/bin/mkdir": { linkTo: "busybox" },
        "/bin/rm": { linkTo: "busybox" },
      },
      config: { environment: [defaultPath] },
    },
  ];
}
