import { mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artifact } from "../../toolchain/artifact.ts";
import { buildCommand } from "./build-command.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";

/** Debian release of the guest; its Wine is 8.0, which the trimming and the two added DLLs were made for. */
const release = "bookworm";

/** What debootstrap is asked for; it adds what these depend on. */
const wanted = [
  ...["linux-image-cloud-amd64", "busybox-static", "wine64", "libfaketime"],
  ...["iproute2", "nftables"],
];

/**
 * Packages that are unpacked, of the many that `wanted` pulls in: those that kernel, busybox and Wine's console programs
 * really load. Sound, printers, cameras, 3D and video are left out. Wine without fontconfig starts explorer.exe over
 * and over, so that stays. libfaketime is for test/windows-binaries; a library must fit the libc it is loaded beside. The second part is what
 * iproute2 and nftables load.
 */
const unpackedPackages = [
  ...["busybox-static", "fontconfig-config", "libbrotli1", "libc6", "libexpat1", "libfaketime"],
  ...["libfontconfig1", "libfreetype6", "libgcc-s1", "liblzma5", "libpng16-16", "libunwind8"],
  ...["libwine", "libz-mingw-w64", "wine64", "zlib1g"],
  ...[
    "iproute2",
    "libbpf1",
    "libbsd0",
    "libcap2",
    "libedit2",
    "libelf1",
    "libgmp10",
    "libjansson4",
  ],
  ...["libmd0", "libmnl0", "libnftables1", "libnftnl11", "libtinfo6", "libxtables12", "nftables"],
];

/** What no program needs to run. */
const documentation = ["usr/share/doc", "usr/share/man", "usr/share/lintian", "usr/share/bug"];

/** The guest's Debian, unpacked and not configured, as `root.tar`; debootstrap checks it by Debian's archive keys. */
export const rehearsalDebian: Artifact = {
  name: "rehearsal-debian",
  needs: [],
  hostPackages: ["debootstrap", "dpkg"],
  inputs: async () => ({
    sources: await hashSources(import.meta.dirname, [import.meta.filename]),
  }),
  async build(into, context) {
    const run = buildCommand(context.logFile);
    const download = join(into, "download");
    const root = join(into, "root");
    context.progress(`downloads Debian ${release} packages: kernel and Wine`);
    await run("debootstrap", [
      "--download-only",
      "--variant=minbase",
      `--include=${wanted.join(",")}`,
      release,
      download,
    ]);
    context.progress("unpacks them");
    const archives = join(download, "var/cache/apt/archives");
    await mkdir(root);
    for (const file of selectArchives(await readdir(archives))) {
      await run("dpkg-deb", ["--extract", join(archives, file), root]);
    }
    await configure(root);
    await run("tar", ["--create", "--file", join(into, "root.tar"), "--directory", root, "."]);
    await rm(download, { recursive: true });
    await rm(root, { recursive: true });
  },
};

/** What the packages' own installation scripts would have done, as far as it is needed here. */
async function configure(root: string): Promise<void> {
  for (const folder of documentation)
    await rm(join(root, folder), { recursive: true, force: true });
  await symlink("busybox", join(root, "bin/sh"));
  // Wine's own starter of it is a shell script that looks for a 32-bit one first.
  await rm(join(root, "usr/lib/wine/wineserver"));
  await symlink("wineserver64", join(root, "usr/lib/wine/wineserver"));
  const zlib = await readFile(join(root, "usr/x86_64-w64-mingw32/lib/zlib1.dll"));
  await writeFile(
    join(root, "usr/lib/x86_64-linux-gnu/wine/x86_64-windows/zlib1.dll"),
    asWineBuiltin(zlib),
  );
}

/** Where a DLL says that it is one of Wine's own, in the unused part of its DOS header. */
const signatureOffset = 64;
const signatureEnd = 96;

/** Marks a DLL as one of Wine's own, which Wine loads beside those: as libwine does with zlib when it is configured. */
function asWineBuiltin(dll: Buffer): Buffer {
  if (dll.length < signatureEnd || dll.toString("latin1", 0, 2) !== "MZ") {
    throw new Error("not a Windows DLL: it has no DOS header");
  }
  const marked = Buffer.from(dll);
  marked.fill(0, signatureOffset, signatureEnd);
  marked.write("Wine builtin DLL", signatureOffset, "latin1");
  return marked;
}

/** @param files `name_version_architecture.deb`. @throws naming what is not there, as when it has another name by now. */
function selectArchives(files: readonly string[]): string[] {
  const byName = new Map(files.map((file) => [file.split("_")[0] ?? file, file]));
  const kernels = [...byName.keys()].filter((name) => /^linux-image-\d.*-cloud-amd64$/.test(name));
  const missing = unpackedPackages.filter((name) => !byName.has(name));
  if (kernels.length !== 1) missing.push("linux-image-<version>-cloud-amd64");
  if (missing.length > 0) {
    throw new Error(
      `Debian ${release} did not bring the packages ${missing.join(", ")}: adjust rehearsal/image/debian.ts`,
    );
  }
  return [...unpackedPackages, ...kernels].map((name) => byName.get(name) ?? name);
}
