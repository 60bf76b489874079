import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";
import type { RunCommand } from "../../host/command-runner.ts";

/** A file that installing Windows node software needs, as it would be downloaded. */
export interface Medium {
  readonly fileName: string;
  readonly sha256: string;
}

/** Media in the image, as `manifest.json` names them. */
export type MediaName = "containerd" | "kubelet" | "kubeadm" | "kubeLogRunner";

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
  run: RunCommand,
): Promise<Record<MediaName, Medium>> {
  const fileName = `containerd-${sources.containerdVersion}-windows-amd64.tar.gz`;
  const archive = join(work, fileName);
  const tar = join(work, "containerd.tar");
  await mkdir(join(work, "bin"), { recursive: true });
  await copyFile(join(sources.containerd, "containerd.exe"), join(work, "bin/containerd.exe"));
  await run("tar", [
    ...["--create", "--file", tar, "--sort=name", "--owner=0", "--group=0", "--mtime=@0"],
    ...["--mode=a=rx,u+w", "--directory", work, "bin"],
  ]);
  await pipeline(createReadStream(tar), createGzip({ level: 0 }), createWriteStream(archive));
  const media = {
    containerd: await place(work, fileName),
    kubelet: await place(sources.kubernetes, "kubelet.exe"),
    kubeadm: await place(sources.kubernetes, "kubeadm.exe"),
    kubeLogRunner: await place(sources.kubernetes, "kube-log-runner.exe"),
  };
  await Promise.all([archive, tar].map((file) => rm(file)));
  await rm(join(work, "bin"), { recursive: true });
  return media;

  async function place(from: string, fileName: string): Promise<Medium> {
    const sha256 = await sha256OfFile(join(from, fileName));
    await mkdir(join(folder, sha256), { recursive: true });
    await copyFile(join(from, fileName), join(folder, sha256, fileName));
    return { fileName, sha256 };
  }
}
