import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { waitUntil } from "../../host/wait-until.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import { commandRunner, type RunCommand } from "../../host/command-runner.ts";
import { defaultPath, imageRecipes } from "./container-images.ts";
import { packArchive, packImage, packLayer } from "./image-packing.ts";
import type { LayeredImage } from "./oci-archive.ts";
import { makeRootFileSystem } from "./root-file-system.ts";
import type { ProgramPath } from "./programs.ts";

interface NodeImageOptions {
  readonly reference: string;
  readonly kubernetesVersion: string;
  readonly program: ProgramPath;
  /** Folder of kind's base image files (`images/base/files` in its Go module). */
  readonly kindBase: string;
}

/** File in an artifact's folder for `docker load`. */
export const archiveName = "image.tar";

/** Builds a kind node image in the folder `into`, as an archive for `docker load`. Needs root, but not Docker. */
export async function buildNodeImage(
  into: string,
  options: NodeImageOptions,
  context: { readonly progress: Progress; readonly logFile: string },
): Promise<void> {
  const run = commandRunner(context.logFile);
  const { reference, kubernetesVersion, kindBase, program } = options;
  const work = path.join(into, "work");
  const root = path.join(work, "root");
  await mkdir(work);
  await makeRootFileSystem(run, root, { kindBase, kubernetesVersion, program }, context.progress);

  context.progress("packing the images the node carries");
  const carried: LayeredImage[] = [];
  for (const [number, recipe] of imageRecipes(program, kubernetesVersion).entries()) {
    carried.push(await packImage(run, root, recipe, path.join(work, `image-${number}`)));
  }
  const archive = await packArchive(run, carried, path.join(work, "carried"));
  await preloadImages(run, program, { root, state: path.join(work, "state") }, archive);
  await rm(archive);

  context.progress("packing the node image");
  const node: LayeredImage = {
    reference,
    layer: await packLayer(run, root),
    config: {
      entrypoint: ["/usr/local/bin/entrypoint", "/sbin/init"],
      environment: [
        defaultPath,
        // systemd reads it (its document CONTAINER_INTERFACE).
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
  await writeFile(path.join(into, "reference"), `${reference}\n`);
}

const startTimeoutSeconds = 60;

/** Plugins that an import does not need, e.g. CRI and further snapshotters. */
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

/**
 * Imports a tar archive of images into containerd's content store in a node's root file system, without unpacking them.
 */
async function preloadImages(
  run: RunCommand,
  program: ProgramPath,
  { root, state }: { readonly root: string; readonly state: string },
  archive: string,
): Promise<void> {
  const socket = path.join(state, "containerd.sock");
  const config = path.join(state, "config.toml");
  await mkdir(state, { recursive: true });
  await writeFile(
    config,
    [
      "version = 2",
      `root = ${JSON.stringify(path.join(root, "var/lib/containerd"))}`,
      `state = ${JSON.stringify(path.join(state, "state"))}`,
      `disabled_plugins = ${JSON.stringify(disabledPlugins)}`,
      "[grpc]",
      `address = ${JSON.stringify(socket)}`,
      "",
    ].join("\n"),
  );
  const daemon = execa(program("containerd"), ["--config", config], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: ["pipe"],
    reject: false,
    maxBuffer: 16 * 1024 * 1024,
  });
  const ctr = (args: readonly string[], timeoutSeconds?: number): Promise<string> =>
    run(program("ctr"), ["--address", socket, ...args], timeoutSeconds ? { timeoutSeconds } : {});
  try {
    const serves = waitUntil(
      { what: "containerd to serve", timeoutSeconds: startTimeoutSeconds, pollMilliseconds: 200 },
      async () => ({ found: await ctr(["version"], 5) }),
    );
    const ended = daemon.then(({ stderr }) => {
      throw new Error(`containerd ended: ${stderr.trim().split("\n").at(-1) ?? ""}`);
    });
    await Promise.race([serves, ended]);
    await ctr([
      ...["--namespace", "k8s.io", "images", "import"],
      ...["--all-platforms", "--no-unpack", "--digests", archive],
    ]);
  } finally {
    daemon.kill("SIGTERM");
    await daemon;
    await rm(state, { recursive: true, force: true });
  }
}
