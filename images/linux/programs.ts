import { chmod, cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Artifact, BuildContext } from "../../toolchain/artifact.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import {
  agnhost,
  containerdLinux,
  coredns,
  kubectl,
  kubernetesLinux,
  kubernetesVersion,
  localPathProvisioner,
} from "../../toolchain/tools/table.ts";
import { commandRunner, type RunCommand } from "../../host/command-runner.ts";
import { imageRecipes } from "../node/container-images.ts";
import { packArchive, packImage } from "../node/image-packing.ts";
import { linuxDebian } from "./debian.ts";
import { nodePrograms, type ProgramPath } from "../node/programs.ts";

/** Name of the archive in the artifact's folder. */
export const programsName = "programs.tar.gz";

/** Path of the container images in the archive. */
const imagesFile = "var/lib/kindows/images.tar";

const nodeImageFolder = path.join(import.meta.dirname, "../node");

/** Images that only a control plane needs. */
const controlPlaneOnly = /\/(kube-apiserver|kube-controller-manager|kube-scheduler|etcd):/;

/**
 * A node's programs for Debian, as one archive to unpack at `/`: kubelet, kubeadm, kubectl, containerd, runc, CNI
 * plugins, and the container images of the node image that a worker needs, so that nothing has to be pulled.
 *
 * They are the same programs as in the node image that is built here, so hosts need only Go modules and Debian
 * packages.
 */
export const linuxPrograms: Artifact = {
  name: "linux-programs",
  needs: [
    ...[linuxDebian, kubernetesLinux, kubectl, containerdLinux],
    ...[coredns, localPathProvisioner, agnhost],
  ],
  seconds: 60,
  hostPackages: [],
  inputs: async () => ({
    sources: await hashSources(import.meta.dirname, [import.meta.filename]),
    images: await hashSources(
      nodeImageFolder,
      [
        ...["container-images.ts", "image-packing.ts", "oci-archive.ts", "debian-pieces.ts"],
        "files/pod-routes.sh",
      ].map((file) => path.join(nodeImageFolder, file)),
    ),
  }),
  async build(into, context) {
    const run = commandRunner(context.logFile);
    const [work, debian, tree] = ["work", "work/debian", "work/tree"].map((name) =>
      path.join(into, name),
    ) as [string, string, string];
    await mkdir(debian, { recursive: true });
    await mkdir(tree);
    await run("tar", [
      ...["--extract", "--numeric-owner", "--directory", debian],
      ...["--file", path.join(context.path(linuxDebian), "root.tar")],
    ]);
    context.progress("packs the container images that a worker needs");
    await mkdir(path.join(tree, path.dirname(imagesFile)), { recursive: true });
    await rename(await workerImages(run, context, debian, work), path.join(tree, imagesFile));
    await placePrograms(run, context, debian, tree);
    context.progress("compresses the archive");
    await run("sh", [
      "-c",
      'tar --sort=name --mtime=@0 --owner=0 --group=0 -C "$0" -cf - . | gzip -1 -n > "$1"',
      tree,
      path.join(into, programsName),
    ]);
    await rm(work, { recursive: true });
  },
};

async function placePrograms(
  run: RunCommand,
  context: BuildContext,
  debian: string,
  tree: string,
): Promise<void> {
  const programs: Readonly<Record<string, string>> = {
    "usr/bin/kubeadm": path.join(context.path(kubernetesLinux), "kubeadm"),
    "usr/bin/kubelet": path.join(context.path(kubernetesLinux), "kubelet"),
    // The default pod network of the node image that is built here mounts it from the node.
    "usr/bin/kubectl": path.join(context.path(kubectl), "kubectl"),
    "usr/local/bin/containerd": path.join(context.path(containerdLinux), "containerd"),
    "usr/local/bin/containerd-shim-runc-v2": path.join(
      context.path(containerdLinux),
      "containerd-shim-runc-v2",
    ),
    "usr/local/bin/ctr": path.join(context.path(containerdLinux), "ctr"),
    "usr/local/sbin/runc": path.join(debian, "usr/sbin/runc"),
  };
  for (const [target, source] of Object.entries(programs)) {
    const file = path.join(tree, target);
    await mkdir(path.dirname(file), { recursive: true });
    await cp(source, file);
    await chmod(file, 0o755);
  }
  await mkdir(path.join(tree, "opt/cni"), { recursive: true });
  await run("cp", ["-rL", path.join(debian, "usr/lib/cni"), path.join(tree, "opt/cni/bin")]);
  await mkdir(path.join(tree, "etc/kindows"), { recursive: true });
  await writeFile(path.join(tree, "etc/kindows/kubernetes-version"), `${kubernetesVersion}\n`);
}

/** @returns the archive of all images that a worker may run. */
async function workerImages(
  run: RunCommand,
  context: BuildContext,
  debian: string,
  work: string,
): Promise<string> {
  // Not built for workers. Their images are left out below, like all that only a control plane needs.
  const program: ProgramPath = (name) =>
    name === "etcd" || name === "kube-apiserver"
      ? ""
      : path.join(context.path(nodePrograms[name]), name);
  const recipes = imageRecipes(program, kubernetesVersion).filter(
    ({ reference }) => !controlPlaneOnly.test(reference),
  );
  const images = [];
  for (const [number, recipe] of recipes.entries()) {
    images.push(await packImage(run, debian, recipe, path.join(work, `image-${number}`)));
  }
  return packArchive(run, images, path.join(work, "images"));
}
