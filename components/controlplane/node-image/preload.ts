import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";

import { messageOf } from "../../../host/failure.ts";
import type { RunCommand } from "./build-command.ts";

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

export interface ImageStore {
  /** containerd's and ctr's programs on this host: the ones the node will have. */
  readonly containerd: string;
  readonly ctr: string;
  /** Root file system of the node. */
  readonly root: string;
  /** Folder for what containerd keeps only while it runs; removed. */
  readonly state: string;
}

/** Imports a tar archive of images into the content store of a node's containerd, without unpacking them. */
export async function preloadImages(
  run: RunCommand,
  store: ImageStore,
  archive: string,
): Promise<void> {
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
