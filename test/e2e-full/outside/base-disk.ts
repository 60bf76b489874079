import { cp, mkdir, open, readFile, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { parseImageManifest } from "../../../components/windows/image-manifest.ts";
import type { CarriedArtifact } from "../../../components/windows/image-manifest.ts";
import { downloadArtifact } from "../../../components/windows/download-artifact.ts";
import type { ProgramName } from "../../../components/windows/software.ts";
import { fileSha256 } from "../../../rehearsal/image/media.ts";
import type { Artifact } from "../../../toolchain/artifact.ts";
import { builtRehearsalImage } from "../../../toolchain/built.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { ensureArtifacts } from "../../../toolchain/ensure.ts";
import { debugfs, rootOf, rootOffset } from "./disk-content.ts";

const gib = 1024 ** 3;

/** A machine must have 20 GiB free on drive C:. */
const rootGiB = 40;

/** Size, in sectors, of the second partition in a DOS partition table. */
const secondPartitionSize = 446 + 16 + 12;

/** The file that crictl's release for Kubernetes 1.36 is, as the software asks for it. */
const crictlArchive = "crictl-v1.36.0-windows-amd64.tar.gz";

/** Checksums of the programs, as settings have them. */
export type ProgramChecksums = Readonly<Partial<Record<ProgramName, string>>>;

/**
 * The rehearsal's guest as a machine somebody has bought: a larger disk, and nothing of Kubernetes' on it. Its programs
 * come to this host's cache instead, where `kindows fetch` finds them.
 *
 * @param disk raw file to make.
 * @param folder for the programs.
 */
export async function makeBaseDisk(disk: string, folder: string): Promise<ProgramChecksums> {
  const image = builtRehearsalImage({ baked: false });
  if (image === undefined) throw new Error("the rehearsal's guest is not prepared");
  await execa("qemu-img", ["convert", "-O", "raw", image.path, disk]);
  await enlarge(disk);

  await mkdir(folder, { recursive: true });
  const root = rootOf(disk);
  const media = "/wine/drive_c/kindows/media";
  await debugfs(root, `rdump ${media} ${folder}`);
  const carried = parseImageManifest(await readFile(image.manifest, "utf8")).media;
  const { containerd, kubelet, kubeadm, kubeLogRunner } = carried;
  const programs = { containerd, kubelet, kubeadm, kubeLogRunner };
  for (const { sha256, fileName } of Object.values(programs)) {
    await debugfs(root, `rm ${media}/${sha256}/${fileName}`, "-w");
    await debugfs(root, `rmdir ${media}/${sha256}`, "-w");
  }
  await debugfs(root, `rmdir ${media}`, "-w");
  await debugfs(root, `rmdir ${path.posix.dirname(media)}`, "-w");

  const crictl = await standInCrictl(path.join(folder, "media"));
  const files = [...Object.values(programs), crictl];
  await ensureArtifacts(
    files.map((file) => cached(file, path.join(folder, "media"))),
    { cache: new Cache(), progress: () => undefined },
  );
  return Object.fromEntries(
    Object.entries({ ...programs, crictl }).map(([name, { sha256 }]) => [name, sha256]),
  );
}

/** A program in the cache as `kindows fetch` puts it there, but from a folder instead of its publisher. */
function cached({ sha256, fileName }: CarriedArtifact, media: string): Artifact {
  const fetched = downloadArtifact({ uri: "", sha256, fileName });
  return {
    ...fetched,
    hostPackages: [],
    build: (into) => cp(path.join(media, sha256), path.join(into, sha256), { recursive: true }),
  };
}

/** Drive C: of a real server is larger than the rehearsal's. */
async function enlarge(disk: string): Promise<void> {
  await truncate(disk, rootOffset + rootGiB * gib);
  await execa("e2fsck", ["-fy", rootOf(disk)], { reject: false });
  await execa("resize2fs", [rootOf(disk), `${rootGiB}G`]);
  // Given a place in a file it takes that for the whole, and cuts what is behind.
  await truncate(disk, rootOffset + rootGiB * gib);
  const file = await open(disk, "r+");
  const sectors = Buffer.alloc(4);
  sectors.writeUInt32LE((rootGiB * gib) / 512);
  await file.write(sectors, 0, sectors.length, secondPartitionSize);
  await file.close();
}

/** No crictl for Windows is built for a rehearsal, and nothing runs it: an archive of the right shape. */
async function standInCrictl(media: string): Promise<CarriedArtifact> {
  const program = path.join(media, "crictl.exe");
  const archive = path.join(media, crictlArchive);
  await writeFile(program, "stands in for crictl\n");
  await execa("tar", [
    ...["--sort=name", "--owner=0", "--group=0", "--mtime=@0", "--mode=a=rx"],
    ...["-czf", archive, "-C", media, "crictl.exe"],
  ]);
  const sha256 = await fileSha256(archive);
  await mkdir(path.join(media, sha256), { recursive: true });
  await execa("mv", [archive, path.join(media, sha256, crictlArchive)]);
  return { fileName: crictlArchive, sha256 };
}
