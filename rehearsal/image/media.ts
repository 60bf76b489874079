import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { create } from "tar";
import type { CarriedArtifact, ImageManifest } from "../../components/windows/image-manifest.ts";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";

/** The image's programs, as its manifest names them. */
export type CarriedMedia = Omit<ImageManifest["media"], "crictl">;

/** Folders with the Windows programs that the media are made of, and the version in the name of containerd's archive. */
type MediaSources = Readonly<Record<"containerdVersion" | "containerd" | "kubernetes", string>>;

/**
 * Puts the media below `folder` as `<sha256>\\<file name>`, where the Windows steps look before they download.
 * containerd's archive is laid out like the official one, but not compressed: an emulated CPU would unpack too slowly.
 */
export async function writeMedia(
  sources: MediaSources,
  folder: string,
  work: string,
): Promise<CarriedMedia> {
  const fileName = `containerd-${sources.containerdVersion}-windows-amd64.tar.gz`;
  const archive = join(work, fileName);
  await mkdir(join(work, "bin"), { recursive: true });
  await copyFile(join(sources.containerd, "containerd.exe"), join(work, "bin/containerd.exe"));
  const reproducible = { portable: true, mtime: new Date(0) };
  await create({ ...reproducible, file: archive, cwd: work, gzip: { level: 0 } }, ["bin"]);
  const media = {
    containerd: await place(work, fileName),
    kubelet: await place(sources.kubernetes, "kubelet.exe"),
    kubeadm: await place(sources.kubernetes, "kubeadm.exe"),
    kubeLogRunner: await place(sources.kubernetes, "kube-log-runner.exe"),
  };
  await rm(archive);
  await rm(join(work, "bin"), { recursive: true });
  return media;

  async function place(from: string, fileName: string): Promise<CarriedArtifact> {
    const sha256 = await sha256OfFile(join(from, fileName));
    await mkdir(join(folder, sha256), { recursive: true });
    await copyFile(join(from, fileName), join(folder, sha256, fileName));
    return { fileName, sha256 };
  }
}
