import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { create } from "tar";
import type { CarriedArtifact, ImageManifest } from "../../components/windows/image-manifest.ts";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";

/** The image's programs, by their names in its manifest. */
export type CarriedMedia = Omit<ImageManifest["media"], "crictl">;

/** Folders with the Windows programs, and the version in the name of containerd's archive. */
type MediaSources = Readonly<Record<"containerdVersion" | "containerd" | "kubernetes", string>>;

/**
 * Writes the media to `folder` as `<sha256>\\<file name>`, where the Windows steps look before they download.
 * containerd's archive has the layout of the official one, but is not compressed: an emulated CPU would take too long.
 */
export async function writeMedia(
  sources: MediaSources,
  folder: string,
  work: string,
): Promise<CarriedMedia> {
  const fileName = `containerd-${sources.containerdVersion}-windows-amd64.tar.gz`;
  const archive = join(work, fileName);
  await mkdir(join(work, "bin"), { recursive: true });
  for (const program of ["containerd.exe", "ctr.exe"]) {
    await copyFile(join(sources.containerd, program), join(work, "bin", program));
  }
  const reproducible = { portable: true, mtime: new Date(0) };
  await create({ ...reproducible, file: archive, cwd: work, gzip: { level: 0 } }, ["bin"]);
  const media = {
    containerd: await add(work, fileName),
    kubelet: await add(sources.kubernetes, "kubelet.exe"),
    kubeadm: await add(sources.kubernetes, "kubeadm.exe"),
    kubeLogRunner: await add(sources.kubernetes, "kube-log-runner.exe"),
  };
  await rm(archive);
  await rm(join(work, "bin"), { recursive: true });
  return media;

  async function add(from: string, fileName: string): Promise<CarriedArtifact> {
    const sha256 = await sha256OfFile(join(from, fileName));
    await mkdir(join(folder, sha256), { recursive: true });
    await copyFile(join(from, fileName), join(folder, sha256, fileName));
    return { fileName, sha256 };
  }
}
