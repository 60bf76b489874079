import path from "node:path";
import { fileURLToPath } from "node:url";

import type { Artifact } from "../../../toolchain/artifact.ts";
import { artifactAddress } from "../../../toolchain/cache.ts";
import { requireRoot } from "../../../toolchain/require-root.ts";
import { kindBaseFiles } from "../../../toolchain/tools/kind-base-files.ts";
import { hashSources } from "../../../toolchain/tools/sources-hash.ts";
import {
  agnhost,
  containerdLinux,
  coredns,
  etcd,
  kubectl,
  kubernetesLinux,
  kubernetesVersion,
  localPathProvisioner,
} from "../../../toolchain/tools/table.ts";
import { buildNodeImage } from "./build-node-image.ts";

const here = path.dirname(fileURLToPath(import.meta.url));

/**
 * kind node image for hosts that cannot pull the official one: Debian packages and programs built from Go modules,
 * with every image a cluster starts with inside.
 *
 * The archive for `docker load` is `image.tar` in its folder.
 */
export const nodeImage: Artifact = {
  name: "node-image",
  needs: [
    kindBaseFiles,
    kubernetesLinux,
    kubectl,
    containerdLinux,
    etcd,
    coredns,
    localPathProvisioner,
    agnhost,
  ],
  hostPackages: ["debootstrap"],
  check: () => requireRoot("the node image"),
  inputs: async () => ({ sources: await hashSources(here, [here]) }),
  build: async (into, context) => {
    const kubernetes = (name: string): string => path.join(context.path(kubernetesLinux), name);
    const containerd = (name: string): string => path.join(context.path(containerdLinux), name);
    await buildNodeImage(
      into,
      {
        reference: await nodeImageReference(),
        kubernetesVersion,
        kindBase: context.path(kindBaseFiles),
        programs: {
          kubeadm: kubernetes("kubeadm"),
          kubelet: kubernetes("kubelet"),
          kubeApiserver: kubernetes("kube-apiserver"),
          kubeControllerManager: kubernetes("kube-controller-manager"),
          kubeScheduler: kubernetes("kube-scheduler"),
          kubeProxy: kubernetes("kube-proxy"),
          kubectl: path.join(context.path(kubectl), "kubectl"),
          containerd: containerd("containerd"),
          containerdShim: containerd("containerd-shim-runc-v2"),
          ctr: containerd("ctr"),
          etcd: path.join(context.path(etcd), "etcd"),
          coredns: path.join(context.path(coredns), "coredns"),
          localPathProvisioner: path.join(
            context.path(localPathProvisioner),
            "local-path-provisioner",
          ),
          agnhost: path.join(context.path(agnhost), "agnhost"),
        },
      },
      context,
    );
  },
};

/** Reference of the built image: its tag changes with everything that goes into it. */
export async function nodeImageReference(): Promise<string> {
  const address = await artifactAddress(nodeImage);
  return `kindest/node:kindows-${address.slice(-16, -4)}`;
}
