import { copyFile, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { create } from "tar";
import { flannelPrograms } from "../../components/cni/flannel/release.ts";
import type { CarriedArtifact, ImageManifest } from "../../components/windows/image-manifest.ts";
import { fileNameOf } from "../../components/windows/media-folder.ts";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";

/** The image's programs, by their names in its manifest. */
export type CarriedMedia = Required<Omit<ImageManifest["media"], "crictl">>;

/** Folders with the Windows programs, and the version in the name of containerd's archive. */
type MediaSources = Readonly<
  Record<
    "containerdVersion" | "containerd" | "kubernetes" | "flannel" | "flannelPlugin" | "cniPlugins",
    string
  >
>;

/**
 * Writes the media to `folder` as `<sha256>\\<file name>`, where the Windows steps look before they download.
 * Archives have the layout of the official ones, but are not compressed: an emulated CPU would take too long.
 */
export async function writeMedia(
  sources: MediaSources,
  folder: string,
  work: string,
): Promise<CarriedMedia> {
  const { kubernetes } = sources;
  return {
    containerd: await pack(
      `containerd-${sources.containerdVersion}-windows-amd64.tar.gz`,
      sources.containerd,
      ["bin/containerd.exe", "bin/ctr.exe"],
    ),
    kubelet: await add(kubernetes, "kubelet.exe"),
    kubeadm: await add(kubernetes, "kubeadm.exe"),
    kubeLogRunner: await add(kubernetes, "kube-log-runner.exe"),
    flannel: await pack(fileNameOf(flannelPrograms.flannel), sources.flannel, ["flanneld.exe"]),
    flannelPlugin: await pack(fileNameOf(flannelPrograms.flannelPlugin), sources.flannelPlugin, [
      "flannel-amd64.exe",
    ]),
    cniPlugins: await pack(fileNameOf(flannelPrograms.cniPlugins), sources.cniPlugins, [
      ...["host-local.exe", "win-bridge.exe", "win-overlay.exe"],
    ]),
  };

  /** Adds an archive of programs from a folder, at these paths in it. */
  async function pack(
    fileName: string,
    from: string,
    paths: readonly string[],
  ): Promise<CarriedArtifact> {
    const content = join(work, "content");
    for (const path of paths) {
      await mkdir(dirname(join(content, path)), { recursive: true });
      await copyFile(join(from, path.slice(path.lastIndexOf("/") + 1)), join(content, path));
    }
    const reproducible = { portable: true, mtime: new Date(0) };
    const settings = { ...reproducible, file: join(work, fileName), cwd: content };
    await create({ ...settings, gzip: { level: 0 } }, [...paths]);
    const added = await add(work, fileName);
    await rm(join(work, fileName));
    await rm(content, { recursive: true });
    return added;
  }

  async function add(from: string, fileName: string): Promise<CarriedArtifact> {
    const sha256 = await sha256OfFile(join(from, fileName));
    await mkdir(join(folder, sha256), { recursive: true });
    await copyFile(join(from, fileName), join(folder, sha256, fileName));
    return { fileName, sha256 };
  }
}
