import { appendFile, copyFile, mkdir, rm, readFile } from "node:fs/promises";
import { join } from "node:path";
import { withConfigDisc } from "../../images/windows/config-disc.ts";
import { newImageSecrets } from "../../images/windows/image-disc.ts";
import { diskNode, serialFile } from "../../images/windows/builder/qemu-command.ts";
import { QemuProcess } from "../../images/windows/builder/qemu-process.ts";
import { userData } from "../../components/machine/identity.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { runOverSsh } from "../../host/ssh/run-over-ssh.ts";
import { gatherKvm } from "../../components/machine/libvirt/kvm.ts";
import { folderHash } from "../../components/node/folder-hash.ts";
import { stepsSource } from "../../components/node/steps-folder.ts";
import type { Artifact } from "../../toolchain/artifact.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { diskName, manifestName, rehearsalImage } from "../image/artifact.ts";
import { buildCommand } from "../image/build-command.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import { runBake } from "./run-bake.ts";
import { bakeOf, type Bake } from "../../images/windows/bake.ts";
import { parseImageManifest } from "../../components/windows/image-manifest.ts";
import { imageSoftware } from "../../components/windows/software.ts";
import { addContainerImage } from "../../components/windows/steps.ts";
import { rehearsalVersions } from "../../config/supported.ts";
import { kubernetesVersion } from "../../toolchain/tools/table.ts";

/** The machine's name during the bake. Each node gets its own name from its identity disc. */
const computerName = "bake";

/** Sources other than the steps that determine how the steps run. */
const bakeSources = [
  ...["artifact.ts", "keep-scripts.ts", "run-bake.ts"].map((name) => `rehearsal/bake/${name}`),
  ...["node-setup.ts", "node-step.ts", "steps.ts"].map((name) => `components/windows/${name}`),
  "host/ssh/windows-command.ts",
  "images/windows/bake.ts",
].map((name) => join(projectRoot, name));

/**
 * The rehearsal guest's disk after the steps that are the same for every node have run on it, in a plain QEMU. A node
 * made from it need not reboot or unpack anything. It still contains the media, which an upgrade's reset may need.
 */
export const bakedRehearsalImage: Artifact = {
  name: "rehearsal-image-baked",
  needs: [rehearsalImage],
  seconds: 130,
  hostPackages: ["qemu-system-x86", "qemu-utils", "xorriso"],
  inputs: async () => ({
    steps: folderHash(join(projectRoot, stepsSource)),
    sources: await hashSources(projectRoot, bakeSources),
  }),
  async build(into, context) {
    const run = buildCommand(context.logFile);
    const base = context.path(rehearsalImage);
    // Holds QEMU's files and the disc with the machine's key, so it is private and removed once the image exists.
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
    // The stack's settings are not used, because the image is the same for all stacks.
    const accelerator = (await gatherKvm("kvm")) === "works" ? "kvm" : "tcg";
    const bake = await rehearsedBake(join(base, manifestName));
    await withConfigDisc(folder, { texts: { "user-data": identity } }, async (disc) => {
      const { logFile } = context;
      const args = qemuArguments({ folder, disk, disc, accelerator });
      const qemu = new QemuProcess({ args, folder, logFile });
      try {
        await qemu.qmp.open();
        await qemu.qmp.execute("cont");
        const login = {
          host: "127.0.0.1",
          port: await qemu.sshPort(),
          user: "Administrator",
          hostKey: hostKey.public,
          privateKey: loginKey.private,
        };
        await runBake(bake, login, context.progress);
        // The guest can only reboot.
        await qemu.qmp.execute("set-action", { reboot: "shutdown" });
        await runOverSsh(login, "shutdown /r /t 1", offSeconds);
        const what = "the machine to be switched off";
        await waitUntil({ what, timeoutSeconds: offSeconds, pollMilliseconds: 200 }, () =>
          Promise.resolve(qemu.ending === undefined ? "it runs" : undefined),
        );
      } finally {
        await qemu.end();
        const serialOutput = await readFile(join(folder, serialFile), "utf8").catch(() => "");
        await appendFile(logFile, serialOutput);
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

/** The steps of a Windows image, except container images: the guest has no ctr.exe to pull them. */
async function rehearsedBake(manifest: string): Promise<Bake> {
  const versions = { kubernetes: kubernetesVersion, containerd: rehearsalVersions.containerd };
  const software = imageSoftware(versions, parseImageManifest(await readFile(manifest, "utf8")));
  const bake = bakeOf(software, []);
  return { ...bake, steps: bake.steps.filter(({ step }) => step !== addContainerImage) };
}

const memoryMiB = 3072;

/** Time limit for the machine to accept the shutdown request, write its files and switch off. */
const offSeconds = 60;

interface QemuSettings {
  /** QEMU's private working directory. */
  readonly folder: string;
  readonly disk: string;
  readonly disc: string;
  readonly accelerator: "kvm" | "tcg";
}

/** The network only gives this host access to the guest's SSH server. */
function qemuArguments({ folder, disk, disc, accelerator }: QemuSettings): string[] {
  const device = (driver: string, node: string, filename: string, more: object): string =>
    JSON.stringify({ driver, "node-name": node, file: { driver: "file", filename }, ...more });
  return [
    ...["-name", "kindows-rehearsal-bake", "-nodefaults", "-no-user-config", "-S"],
    ...["-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"],
    ...["-machine", `q35,accel=${accelerator}`, "-smp", "1", "-m", `${memoryMiB}M`],
    // Not "max" if emulated: QEMU 7.2 then faults on the IRETQ with which Wine starts its threads (SMAP).
    ...["-cpu", accelerator === "kvm" ? "host" : "qemu64"],
    ...["-chardev", "stdio,id=qmp,signal=off", "-mon", "chardev=qmp,mode=control"],
    ...["-chardev", `file,id=com1,path=${join(folder, serialFile)}`, "-serial", "chardev:com1"],
    ...["-display", "none"],
    // The disk of an interrupted bake is not needed.
    ...["-blockdev", device("qcow2", diskNode, disk, { cache: { "no-flush": true } })],
    ...["-device", `virtio-blk-pci,drive=${diskNode},bootindex=1`],
    ...["-blockdev", device("raw", "identity", disc, { "read-only": true })],
    ...["-device", "virtio-blk-pci,drive=identity"],
    ...["-netdev", "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-:22"],
    ...["-device", "virtio-net-pci,netdev=net,romfile=", "-device", "virtio-rng-pci"],
  ];
}
