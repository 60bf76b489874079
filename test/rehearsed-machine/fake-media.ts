import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { create } from "tar";
import type { Drive } from "../../rehearsal/machine/drive.ts";
import type { CarriedArtifact, ImageManifest } from "../../components/windows/image-manifest.ts";
import { fakeExecutable } from "./fake-programs.ts";

/** The files that the install steps need, with the names of the guest image's manifest, which has fewer. */
export type FakeMedia = Readonly<
  Record<
    keyof ImageManifest["media"] | "flannel" | "flannelPlugin" | "hybridOverlay" | "cniPlugins",
    CarriedArtifact
  >
>;

/** By name, because they are the same on each of the many machines that tests make. */
const archives = new Map<string, Promise<Buffer>>();

/** Puts fake media on the drive, below C:\kindows\media\<sha256>\, where the guest image has the real ones. */
export async function writeFakeMedia(
  drive: Drive,
  { containerd, kubernetes }: Readonly<Record<"containerd" | "kubernetes", string>>,
): Promise<FakeMedia> {
  const put = async (fileName: string, content: Buffer): Promise<CarriedArtifact> => {
    const sha256 = createHash("sha256").update(content).digest("hex");
    await drive.write(`C:\\kindows\\media\\${sha256}\\${fileName}`, content);
    return { fileName, sha256 };
  };
  const putArchive = async (
    fileName: string,
    files: Readonly<Record<string, string | Buffer>>,
  ): Promise<CarriedArtifact> => {
    const archive = archives.get(fileName) ?? archiveOf(files);
    archives.set(fileName, archive);
    return put(fileName, await archive);
  };
  return {
    containerd: await putArchive(`containerd-${containerd}-windows-amd64.tar.gz`, {
      "bin/containerd.exe": fakeExecutable("containerd", containerd),
      "bin/ctr.exe": fakeExecutable("ctr", containerd),
      "bin/containerd-shim-runhcs-v1.exe": `fake ${containerd}\n`,
    }),
    kubelet: await put("kubelet.exe", fakeExecutable("kubelet", kubernetes)),
    kubeadm: await put("kubeadm.exe", fakeExecutable("kubeadm", kubernetes)),
    kubeLogRunner: await put("kube-log-runner.exe", fakeExecutable("kube-log-runner", kubernetes)),
    crictl: await putArchive("crictl-v1.36.0-windows-amd64.tar.gz", { "crictl.exe": "fake\n" }),
    flannel: await putArchive("flannel-v0.28.9-windows-amd64.tar.gz", {
      "flanneld.exe": fakeExecutable("flanneld", "0.28.9"),
      "README.md": "fake\n",
    }),
    flannelPlugin: await putArchive("cni-plugin-flannel-windows-amd64-v1.9.1-flannel3.tgz", {
      "flannel-amd64.exe": "fake flannel plugin\n",
    }),
    hybridOverlay: await put(
      "hybrid-overlay-node.exe",
      fakeExecutable("hybrid-overlay-node", "1.0.0"),
    ),
    cniPlugins: await putArchive("cni-plugins-windows-amd64-v1.9.1.tgz", {
      "host-local.exe": "fake\n",
      "win-bridge.exe": "fake\n",
      "win-overlay.exe": "fake\n",
      LICENSE: "fake\n",
    }),
  };
}

/** An archive as of a release. @param files contents by their paths in it, at most one folder deep. */
export async function archiveOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "kindows-fake-"));
  try {
    const content = join(folder, "content");
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(content, name)), { recursive: true });
      await writeFile(join(content, name), text);
    }
    const file = join(folder, "archive.tar.gz");
    // The same bytes each time, like a release.
    const settings = { gzip: true, portable: true, mtime: new Date(0) };
    await create({ file, cwd: content, ...settings }, await readdir(content));
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
