import { chmod, cp, mkdir, symlink } from "node:fs/promises";
import path from "node:path";

import type { RunCommand } from "./build-command.ts";
import { copyPackages } from "./debian-pieces.ts";
import type { Pieces } from "./debian-pieces.ts";
import type { ImageConfig, LayeredImage } from "./oci-archive.ts";

/** What goes into one of the node's preloaded images. */
export interface ImageRecipe {
  /** Reference under which the cluster's manifests ask for it. */
  readonly reference: string;
  /** Files by their path in the image; a value starting with `/` is in the node's root file system. */
  readonly files: Readonly<Record<string, FileSource>>;
  /** Debian packages whose files it has. Default: none, only the files above. */
  readonly pieces?: Pieces;
  readonly config: ImageConfig;
}

/** Where a file of an image comes from: this host, the node's root file system, or a link to another file in it. */
export type FileSource =
  { readonly host: string } | { readonly node: string } | { readonly linkTo: string };

/** iptables for kube-proxy and the routes: Debian's, in its nft variant, which every kernel kind runs on has. */
const networkPieces: Pieces = {
  packages: ["iptables", "nftables", "conntrack", "iproute2", "kmod", "bash", "coreutils", "mount"],
  alternatives: ["", "-save", "-restore"].flatMap((suffix) => [
    `/usr/sbin/iptables${suffix}`,
    `/usr/sbin/ip6tables${suffix}`,
  ]),
};

const defaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface ImagePrograms {
  readonly kubeApiserver: string;
  readonly kubeControllerManager: string;
  readonly kubeScheduler: string;
  readonly kubeProxy: string;
  readonly etcd: string;
  readonly coredns: string;
  readonly localPathProvisioner: string;
  /** Our own script, see files/pod-routes.sh. */
  readonly podRoutes: string;
}

/**
 * The images a node carries, so that nothing is pulled: those kubeadm asks for under the tags it asks for
 * (`kubeadm config images list`), pause under the one in kind's containerd configuration, and those of the
 * default CNI and storage manifests.
 *
 * etcd and CoreDNS are built from the versions in the toolchain's table; their tags are kubeadm's.
 */
export function imageRecipes(programs: ImagePrograms, kubernetesVersion: string): ImageRecipe[] {
  const component = (name: string, host: string, reference: string): ImageRecipe => ({
    reference,
    files: { [`/usr/local/bin/${name}`]: { host } },
    config: { environment: [defaultPath] },
  });
  const kube = (name: string, host: string): ImageRecipe =>
    component(name, host, `registry.k8s.io/${name}:v${kubernetesVersion}`);
  return [
    kube("kube-apiserver", programs.kubeApiserver),
    kube("kube-controller-manager", programs.kubeControllerManager),
    kube("kube-scheduler", programs.kubeScheduler),
    { ...kube("kube-proxy", programs.kubeProxy), pieces: networkPieces },
    component("etcd", programs.etcd, "registry.k8s.io/etcd:3.6.8-0"),
    {
      reference: "registry.k8s.io/coredns/coredns:v1.14.2",
      files: { "/coredns": { host: programs.coredns } },
      config: { entrypoint: ["/coredns"] },
    },
    {
      reference: "registry.k8s.io/pause:3.10",
      // A static init whose pause mode does what pause does: sleep, and reap what the pod leaves behind.
      files: { "/pause": { node: "/usr/bin/catatonit" } },
      config: { entrypoint: ["/pause", "-P"] },
    },
    {
      reference: "kindows.local/pod-routes:v1",
      files: { "/usr/local/bin/pod-routes": { host: programs.podRoutes } },
      pieces: networkPieces,
      config: { entrypoint: ["/usr/local/bin/pod-routes"], environment: [defaultPath] },
    },
    {
      reference: "kindows.local/local-path-provisioner:v0.0.30",
      files: { "/usr/local/bin/local-path-provisioner": { host: programs.localPathProvisioner } },
      config: { entrypoint: ["/usr/local/bin/local-path-provisioner"] },
    },
    {
      reference: "kindows.local/local-path-helper:v1",
      files: {
        "/bin/busybox": { node: "/bin/busybox" },
        "/bin/sh": { linkTo: "busybox" },
        "/bin/mkdir": { linkTo: "busybox" },
        "/bin/rm": { linkTo: "busybox" },
      },
      config: { environment: [defaultPath] },
    },
  ];
}

/** Puts an image's files together below `folder` and packs them as its layer. */
export async function packImage(
  run: RunCommand,
  root: string,
  recipe: ImageRecipe,
  folder: string,
): Promise<LayeredImage> {
  if (recipe.pieces) {
    await copyPackages(run, root, recipe.pieces, folder);
  }
  for (const [target, source] of Object.entries(recipe.files)) {
    const file = path.join(folder, target);
    await mkdir(path.dirname(file), { recursive: true });
    if ("linkTo" in source) {
      await symlink(source.linkTo, file);
      continue;
    }
    await cp("host" in source ? source.host : path.join(root, source.node), file);
    await chmod(file, 0o755);
  }
  return {
    reference: recipe.reference,
    layer: await packLayer(run, folder),
    config: recipe.config,
  };
}

/** Packs a folder as an image layer beside it; the same content gives the same bytes. */
export async function packLayer(run: RunCommand, folder: string): Promise<string> {
  const layer = `${folder}.tar`;
  await run("tar", [
    "--sort=name",
    "--mtime=@0",
    "--numeric-owner",
    "--format=posix",
    "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
    "--xattrs",
    "-C",
    folder,
    "-cf",
    layer,
    ".",
  ]);
  return layer;
}
