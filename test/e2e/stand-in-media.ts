import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { execa } from "execa";
import { imagePrograms } from "../../cli/fetch/programs.ts";
import type { BuilderChanges } from "../../images/windows/builder/image-artifact.ts";
import { downloadArtifact } from "../../components/windows/download-artifact.ts";
import { fileNameOf } from "../../components/windows/media-folder.ts";
import type { Firmware } from "../../images/windows/answer-file.ts";
import { type GivenFiles, noGivenFiles } from "../../config/given-files.ts";
import { resolveSettings } from "../../config/resolve.ts";
import type { Settings } from "../../config/settings.ts";
import { bootDiskName, fileSystemName, setupBootDisk } from "../../rehearsal/setup/artifact.ts";
import { artifactAddress, type Cache } from "../../toolchain/cache.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { projectRoot } from "../../toolchain/project.ts";
import {
  makeIso,
  makeOpenSsh,
  makeUpdate,
  makeWim,
  serverImages,
  virtioFiles,
} from "../unit/images/windows/real-media.ts";

/** Faults that the stand-in for Windows Setup can simulate. */
export type Fault =
  | "never-copies"
  | "powers-off-early"
  | "script-fails"
  | "update-fails"
  | "sealing-fails"
  | "bakes-slowly"
  | "never-comes-back"
  | "stays-on";

/** Changes for the stand-in: it is small, and emulated it is as fast as Windows under KVM. */
export const standInBuilder: BuilderChanges = { memoryMiB: 512, slowness: 1, neededGiB: 1 };

/** Instead of real programs for Windows nodes, of which the stand-in only checks the checksums. */
const programs = Object.fromEntries(
  ["containerd", "kubelet", "kubeadm", "kubeLogRunner", "crictl"].map((name) => {
    const content = `${name} for the stand-in`;
    return [createHash("sha256").update(content).digest("hex"), { name, content }];
  }),
);

/** Folder of the stand-in's boot disk, which the cache keeps. */
export async function standInBootDisk(): Promise<string> {
  const ensurePackages = (names: readonly string[]): Promise<void> =>
    ensureHostPackages(names, () => undefined);
  await ensurePackages(["gcab", "p7zip-full", "wimtools", "xorriso"]);
  const ensured = await ensureArtifacts([setupBootDisk], {
    progress: () => undefined,
    ensurePackages,
  });
  return ensured.path(setupBootDisk);
}

/** Revisions of Windows on the discs, and after the update. */
const oldRevision = 587;
export const updatedRevision = 5139;

type OnLine = (line: string, child: ChildProcess) => void;

export interface StandInBuild {
  readonly lines: readonly string[];
  readonly ended: Promise<[code: number | null, signal: string | null]>;
}

/** A folder with media: a disc that boots the stand-in, drivers, OpenSSH and an update. */
export class StandInMedia {
  constructor(
    private readonly folder: string,
    private readonly bootFolder: string,
  ) {}

  get update(): string {
    return this.#at("update.msu");
  }

  async prepare(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const old = serverImages.map((image) => ({ ...image, revision: oldRevision }));
    await makeWim(this.#at("old.wim"), old);
    await makeWim(this.#at("install.wim"), serverImages);
    const text = `stand-in update to 20348.${updatedRevision}`;
    await makeUpdate(this.update, "Windows10.0-KB5087545-x64.cab", text);
    await makeIso(this.#at("virtio.iso"), virtioFiles("2k22"));
    await makeOpenSsh(this.#at("OpenSSH-Win64.zip"));
  }

  /** Settings of an image. If there is no fault, or `update-fails`, Windows is old and the settings have an update. */
  async settings(
    fault?: Fault,
    firmware: Firmware = "bios",
    given: GivenFiles = noGivenFiles,
  ): Promise<Settings> {
    const iso = this.#at(`windows-${fault ?? "good"}.iso`);
    const isOld = fault === undefined || fault === "update-fails";
    await this.#makeDisc(iso, isOld ? "old.wim" : "install.wim", fault);
    const image = {
      kind: "iso",
      path: iso,
      drivers: { path: this.#at("virtio.iso") },
      openSsh: { path: this.#at("OpenSSH-Win64.zip") },
      ...(isOld && { update: { path: this.update } }),
      firmware,
    };
    const checksums = Object.fromEntries(
      Object.entries(programs).map(([sha256, { name }]) => [name, sha256]),
    );
    return resolveSettings(
      {
        windows: { image, checksums },
        hypervisor: { domainType: "qemu" },
        cni: { kind: "kind-default" },
      },
      { stack: "dev", file: "Pulumi.dev.yaml", given },
    );
  }

  async putPrograms(settings: Settings, cache: Cache): Promise<void> {
    for (const { uri, sha256 = "" } of imagePrograms(settings)) {
      const fileName = fileNameOf({ uri });
      const address = await artifactAddress(downloadArtifact({ uri, sha256 }));
      if ((await cache.state(address)).kind !== "complete") {
        await cache.make(address, fileName, async (into) => {
          await mkdir(path.join(into, sha256));
          await writeFile(path.join(into, sha256, fileName), programs[sha256]?.content ?? "");
        });
      }
    }
  }

  async start(
    settings: Settings,
    cache: Cache,
    options: { readonly bare?: boolean; readonly onLine?: OnLine } = {},
  ): Promise<StandInBuild> {
    await this.putPrograms(settings, cache);
    const bare = options.bare === true ? ["bare"] : [];
    const child = spawn(
      process.execPath,
      ["--import", "tsx", "test/e2e/build-image.ts", JSON.stringify(settings), ...bare],
      {
        cwd: projectRoot,
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, KINDOWS_CACHE: cache.root },
      },
    );
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      options.onLine?.(line, child);
    });
    const ended = once(child, "close") as StandInBuild["ended"];
    return { lines, ended };
  }

  /** Like Microsoft's disc, but its boot images are a disk and that disk's file system, so no boot loader is needed. */
  async #makeDisc(iso: string, wim: string, fault: Fault | undefined): Promise<void> {
    const tree = `${iso}.tree`;
    await mkdir(path.join(tree, "sources"), { recursive: true });
    const fromBootFolder = (name: string, target: string): Promise<void> =>
      copyFile(path.join(this.bootFolder, name), path.join(tree, target));
    await fromBootFolder(bootDiskName, "sources/boot.img");
    await fromBootFolder(fileSystemName, "sources/efi.img");
    await copyFile(this.#at(wim), path.join(tree, "sources/install.wim"));
    await writeFile(path.join(tree, "sources/boot.wim"), "Setup");
    await writeFile(path.join(tree, "bootmgr"), "boots");
    if (fault !== undefined) {
      await mkdir(path.join(tree, "stand-in"), { recursive: true });
      await writeFile(path.join(tree, "stand-in", fault), "wanted");
    }
    await execa("xorriso", [
      ...["-as", "mkisofs", "-quiet", "-J", "-V", "STANDIN"],
      ...["-b", "sources/boot.img", "-hard-disk-boot", "-c", "boot.cat"],
      ...["-eltorito-alt-boot", "-e", "sources/efi.img", "-no-emul-boot", "-o", iso, tree],
    ]);
  }

  #at(name: string): string {
    return path.join(this.folder, name);
  }
}
