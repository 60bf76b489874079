import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { withConfigDisc } from "../../components/windows/image/config-disc.ts";
import { newImageSecrets } from "../../components/windows/image/image-disc.ts";
import { userData } from "../../components/machine/identity.ts";
import { gatherKvm } from "../../preflight/kvm.ts";
import { folderHash, stepsSource } from "../../components/windows/steps-folder.ts";
import type { Artifact } from "../../toolchain/artifact.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { diskName, manifestName, rehearsalImage } from "../image/artifact.ts";
import { buildCommand } from "../image/build-command.ts";
import { sourceHashes } from "../image/source-hashes.ts";
import { BakingMachine } from "./baking-machine.ts";
import { runBake } from "./run-bake.ts";
import { rehearsedBake } from "./rehearsed-bake.ts";

/** Name of the machine while its image is baked; each node gets its own from its disc. */
const computerName = "bake";

/** What decides how steps are run, besides the steps: relative to the project. */
const bakeSources = [
  ...[
    "artifact.ts",
    "baking-machine.ts",
    "keep-scripts.ts",
    "rehearsed-bake.ts",
    "run-bake.ts",
  ].map((name) => `rehearsal/bake/${name}`),
  ...[
    "image/bake.ts",
    "image/node-images.ts",
    "node-setup.ts",
    "node-step.ts",
    "step-command.ts",
    "steps.ts",
  ].map((name) => `components/windows/${name}`),
];

/**
 * The rehearsal guest's disk with what every node needs already done on it, as an image of Windows has it: feature,
 * containerd and Kubernetes, by the nodes' own steps. A node made from it does not reboot, and unpacks nothing.
 *
 * A machine of its own does them, in a plain QEMU; like the bare one it carries the media, which an upgrade's reset may
 * want.
 */
export const bakedRehearsalImage: Artifact = {
  name: "rehearsal-image-baked",
  needs: [rehearsalImage],
  hostPackages: ["qemu-system-x86", "qemu-utils", "xorriso"],
  inputs: async () => ({
    steps: folderHash(join(projectRoot, stepsSource)),
    ...(await sourceHashes(projectRoot, bakeSources)),
  }),
  async build(into, context) {
    const run = buildCommand(context.logFile);
    const base = context.path(rehearsalImage);
    // QEMU's files and the disc with the machine's key: for nobody else, and gone when the image is there.
    const folder = join(into, "private");
    await mkdir(folder, { mode: 0o700 });
    const disk = join(folder, "disk.qcow2");
    await run("qemu-img", [
      ...["create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", join(base, diskName), disk],
    ]);
    const { hostKey, loginKey } = newImageSecrets();
    const identity = userData({
      computerName,
      hostPrivateKey: hostKey.private,
      hostPublicKey: hostKey.public,
      authorizedKeys: [loginKey.public],
    });
    // Not by the stack's settings: the image is the same for all.
    const accelerator = (await gatherKvm("kvm")) === "works" ? "kvm" : "tcg";
    const bake = await rehearsedBake(join(base, manifestName));
    await withConfigDisc(folder, { "user-data": { text: identity } }, async (disc) => {
      const { logFile } = context;
      const machine = new BakingMachine({ folder, disk, disc, logFile, accelerator });
      try {
        const port = await machine.start();
        const login = { hostKey: hostKey.public, privateKey: loginKey.private };
        await runBake(bake, { port, ...login }, machine, context.progress);
      } finally {
        await machine.end();
      }
    });
    context.progress("writes and compresses the disk");
    await run("qemu-img", [
      ...["convert", "-O", "qcow2", "-c", "-W", "-m", "4", "-o", "compression_type=zstd"],
      ...[disk, join(into, diskName)],
    ]);
    await copyFile(join(base, manifestName), join(into, manifestName));
    await rm(folder, { recursive: true });
  },
};
