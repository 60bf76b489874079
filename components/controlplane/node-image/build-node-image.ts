import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import type { Progress } from "../../../toolchain/artifact.ts";
import { commandRunner, type RunCommand } from "./build-command.ts";
import { imageRecipes } from "./container-images.ts";
import { packArchive, packImage, packLayer } from "./image-packing.ts";
import type { LayeredImage } from "./oci-archive.ts";
import { makeRootFileSystem } from "./root-file-system.ts";
import { messageOf } from "../../../host/failure.ts";

/** Our own files that go into the image. */
const ownFiles = fileURLToPath(new URL("files", import.meta.url));

/** Programs on this host, built for it. */
interface NodePrograms {
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

interface NodeImageOptions {
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

/** Longest wait for containerd to serve, in seconds; it takes about one. */
const startTimeoutSeconds = 60;

/** Only what an import needs: no CRI, no networking, nothing outside the two folders. */
const disabledPlugins = [
  "io.containerd.cri.v1.images",
  "io.containerd.cri.v1.runtime",
  "io.containerd.grpc.v1.cri",
  "io.containerd.internal.v1.cri",
  "io.containerd.nri.v1.nri",
  "io.containerd.snapshotter.v1.blockfile",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.erofs",
  "io.containerd.snapshotter.v1.zfs",
];

interface ImageStore {
  /** containerd's and ctr's programs on this host: the ones the node will have. */
  readonly containerd: string;
  readonly ctr: string;
  /** Root file system of the node. */
  readonly root: string;
  /** Folder for what containerd keeps only while it runs; removed. */
  readonly state: string;
}

/** Imports a tar archive of images into the content store of a node's containerd, without unpacking them. */
async function preloadImages(run: RunCommand, store: ImageStore, archive: string): Promise<void> {
  const socket = path.join(store.state, "containerd.sock");
  const config = path.join(store.state, "config.toml");
  await mkdir(store.state, { recursive: true });
  await writeFile(
    config,
    [
      "version = 2",
      `root = ${JSON.stringify(path.join(store.root, "var/lib/containerd"))}`,
      `state = ${JSON.stringify(path.join(store.state, "state"))}`,
      `disabled_plugins = ${JSON.stringify(disabledPlugins)}`,
      "[grpc]",
      `address = ${JSON.stringify(socket)}`,
      "",
    ].join("\n"),
  );
  const daemon = execa(store.containerd, ["--config", config], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: ["pipe"],
    reject: false,
    maxBuffer: 16 * 1024 * 1024,
  });
  try {
    const deadline = Date.now() + startTimeoutSeconds * 1000;
    for (;;) {
      const ended = daemon.exitCode !== null;
      try {
        await run(store.ctr, ["--address", socket, "version"], { timeoutSeconds: 5 });
        break;
      } catch (error) {
        if (ended || Date.now() > deadline) {
          throw new Error(
            `containerd did not serve within ${startTimeoutSeconds} s: ${lastLine(error)}`,
          );
        }
        await sleep(200);
      }
    }
    await run(store.ctr, [
      "--address",
      socket,
      "--namespace",
      "k8s.io",
      "images",
      "import",
      "--all-platforms",
      "--no-unpack",
      "--digests",
      archive,
    ]);
  } finally {
    daemon.kill("SIGTERM");
    await daemon;
    await rm(store.state, { recursive: true, force: true });
  }
}

function lastLine(error: unknown): string {
  const text = messageOf(error);
  return text.trim().split("\n").at(-1) ?? text;
}
