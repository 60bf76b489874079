import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type { Progress } from "../../../toolchain/artifact.ts";
import { commandRunner } from "./build-command.ts";
import { imageRecipes } from "./container-images.ts";
import { packArchive, packImage, packLayer } from "./image-packing.ts";
import type { LayeredImage } from "./oci-archive.ts";
import { preloadImages } from "./preload.ts";
import { makeRootFileSystem } from "./root-file-system.ts";

/** Our own files that go into the image. */
export const ownFiles = fileURLToPath(new URL("files", import.meta.url));

/** Programs on this host, built for it. */
export interface NodePrograms {
  readonly kubeadm: string;
  readonly kubelet: string;
  readonly kubectl: string;
  readonly containerd: string;
  readonly containerdShim: string;
  readonly ctr: string;
  readonly kubeApiserver: string;
  readonly kubeControllerManager: string;
  readonly kubeScheduler: string;
  readonly kubeProxy: string;
  readonly etcd: string;
  readonly coredns: string;
  readonly localPathProvisioner: string;
  readonly agnhost: string;
}

export interface NodeImageOptions {
  /** Reference the image gets. */
  readonly reference: string;
  /** Kubernetes version without a leading `v`. */
  readonly kubernetesVersion: string;
  readonly programs: NodePrograms;
  /** Folder of kind's base image files (`images/base/files` in its Go module). */
  readonly kindBase: string;
}

/** File in an artifact's folder that `docker load` takes. */
export const archiveName = "image.tar";

/**
 * Builds a kind node image as an archive for `docker load` in the folder `into`; needs no Docker itself, but root.
 */
export async function buildNodeImage(
  into: string,
  options: NodeImageOptions,
  context: { readonly progress: Progress; readonly logFile: string },
): Promise<void> {
  const run = commandRunner(context.logFile);
  const { programs } = options;
  const work = path.join(into, "work");
  const root = path.join(work, "root");
  await mkdir(work);
  await makeRootFileSystem(
    run,
    root,
    {
      kindBase: options.kindBase,
      kubernetesVersion: `v${options.kubernetesVersion}`,
      programs: {
        "/usr/bin/kubeadm": programs.kubeadm,
        "/usr/bin/kubelet": programs.kubelet,
        "/usr/bin/kubectl": programs.kubectl,
        "/usr/local/bin/containerd": programs.containerd,
        "/usr/local/bin/containerd-shim-runc-v2": programs.containerdShim,
        "/usr/local/bin/ctr": programs.ctr,
      },
      manifests: {
        "default-cni.yaml": path.join(ownFiles, "default-cni.yaml"),
        "default-storage.yaml": path.join(ownFiles, "default-storage.yaml"),
      },
    },
    context.progress,
  );

  context.progress("packing the images the node carries");
  const carried: LayeredImage[] = [];
  const recipes = imageRecipes(
    { ...programs, podRoutes: path.join(ownFiles, "pod-routes.sh") },
    options.kubernetesVersion,
  );
  for (const [number, recipe] of recipes.entries()) {
    carried.push(await packImage(run, root, recipe, path.join(work, `image-${number}`)));
  }
  const archive = await packArchive(run, carried, path.join(work, "carried"));
  await preloadImages(
    run,
    { containerd: programs.containerd, ctr: programs.ctr, root, state: path.join(work, "state") },
    archive,
  );
  await rm(archive);

  context.progress("packing the node image");
  const node: LayeredImage = {
    reference: options.reference,
    layer: await packLayer(run, root),
    config: {
      entrypoint: ["/usr/local/bin/entrypoint", "/sbin/init"],
      environment: [
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        // systemd asks for it, see its CONTAINER_INTERFACE document.
        "container=docker",
      ],
      // systemd re-executes itself on SIGTERM.
      stopSignal: "SIGRTMIN+3",
      labels: {
        "org.opencontainers.image.description": "kind node built by kindows from Debian packages",
      },
    },
  };
  await rename(
    await packArchive(run, [node], path.join(work, "node")),
    path.join(into, archiveName),
  );
  await rm(work, { recursive: true, force: true });
  await writeFile(path.join(into, "reference"), `${options.reference}\n`);
}
