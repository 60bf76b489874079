import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";
import type { Drive } from "../drive.ts";
import { hollowExecutable } from "./hollow-executable.ts";

/** A file of the media: how it is called and what its content hashes to. */
export interface HollowMedium {
  readonly fileName: string;
  readonly sha256: string;
}

/** The files the install steps need, under the same names as in the guest image's manifest. */
export interface HollowMedia {
  readonly containerd: HollowMedium;
  readonly kubelet: HollowMedium;
  readonly kubeadm: HollowMedium;
  readonly kubeLogRunner: HollowMedium;
}

/** Versions the hollow programs say they are. */
export interface HollowVersions {
  readonly containerd: string;
  readonly kubernetes: string;
}

/** Puts hollow media on the drive, below C:\kindows\media\<sha256>\, as the guest image has real ones. */
export async function writeHollowMedia(
  drive: Drive,
  versions: HollowVersions,
): Promise<HollowMedia> {
  const put = async (fileName: string, content: Buffer): Promise<HollowMedium> => {
    const sha256 = createHash("sha256").update(content).digest("hex");
    await drive.write(`C:\\kindows\\media\\${sha256}\\${fileName}`, content);
    return { fileName, sha256 };
  };
  const { containerd, kubernetes } = versions;
  return {
    containerd: await put(
      `containerd-${containerd}-windows-amd64.tar.gz`,
      await containerdArchive(containerd),
    ),
    kubelet: await put("kubelet.exe", hollowExecutable("kubelet", kubernetes)),
    kubeadm: await put("kubeadm.exe", hollowExecutable("kubeadm", kubernetes)),
    kubeLogRunner: await put(
      "kube-log-runner.exe",
      hollowExecutable("kube-log-runner", kubernetes),
    ),
  };
}

/** A release archive: everything below bin/. */
async function containerdArchive(version: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "kindows-hollow-"));
  try {
    await mkdir(join(folder, "bin"));
    await writeFile(join(folder, "bin/containerd.exe"), hollowExecutable("containerd", version));
    await writeFile(join(folder, "bin/ctr.exe"), "hollow\n");
    await writeFile(join(folder, "bin/containerd-shim-runhcs-v1.exe"), `hollow ${version}\n`);
    const file = join(folder, "archive.tar.gz");
    // The same bytes each time, as of a release.
    const settings = { gzip: true, portable: true, mtime: new Date(0) };
    await create({ file, cwd: folder, ...settings }, ["bin"]);
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
