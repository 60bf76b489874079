import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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
  /** The guest image carries none. */
  readonly crictl: HollowMedium;
  readonly flannel: HollowMedium;
  readonly flannelPlugin: HollowMedium;
  readonly cniPlugins: HollowMedium;
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
      await archiveOf({
        "bin/containerd.exe": hollowExecutable("containerd", containerd),
        "bin/ctr.exe": hollowExecutable("ctr", containerd),
        "bin/containerd-shim-runhcs-v1.exe": `hollow ${containerd}\n`,
      }),
    ),
    kubelet: await put("kubelet.exe", hollowExecutable("kubelet", kubernetes)),
    kubeadm: await put("kubeadm.exe", hollowExecutable("kubeadm", kubernetes)),
    kubeLogRunner: await put(
      "kube-log-runner.exe",
      hollowExecutable("kube-log-runner", kubernetes),
    ),
    crictl: await put(
      "crictl-v1.36.0-windows-amd64.tar.gz",
      await archiveOf({ "crictl.exe": "hollow\n" }),
    ),
    flannel: await put(
      "flannel-v0.28.9-windows-amd64.tar.gz",
      await archiveOf({
        "flanneld.exe": hollowExecutable("flanneld", "0.28.9"),
        "README.md": "hollow\n",
      }),
    ),
    flannelPlugin: await put(
      "cni-plugin-flannel-windows-amd64-v1.9.1-flannel3.tgz",
      await archiveOf({ "flannel-amd64.exe": "hollow flannel plugin\n" }),
    ),
    cniPlugins: await put(
      "cni-plugins-windows-amd64-v1.9.1.tgz",
      await archiveOf({
        "host-local.exe": "hollow\n",
        "win-bridge.exe": "hollow\n",
        "win-overlay.exe": "hollow\n",
        LICENSE: "hollow\n",
      }),
    ),
  };
}

/** A release archive of files by their paths in it, at most one folder deep. */
async function archiveOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "kindows-hollow-"));
  try {
    const content = join(folder, "content");
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(content, name)), { recursive: true });
      await writeFile(join(content, name), text);
    }
    const file = join(folder, "archive.tar.gz");
    // The same bytes each time, as of a release.
    const settings = { gzip: true, portable: true, mtime: new Date(0) };
    await create({ file, cwd: content, ...settings }, await readdir(content));
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
