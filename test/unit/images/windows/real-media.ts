import assert from "node:assert/strict";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { MediaError } from "../../../../images/disk/media-program.ts";
import { driverNames } from "../../../../images/windows/drivers.ts";
import { hostProblemText } from "../../../../config/host-problem.ts";

/** Metadata of an image in a WIM file. Default: that of the evaluation ISO of Windows Server 2022. */
export interface TestImage {
  readonly name?: string;
  readonly editionId?: string;
  readonly installationType?: string;
  /** Processor architecture as in WIM files: 9 is x86_64, 12 is ARM64. */
  readonly architecture?: number;
  readonly build?: number;
  readonly revision?: number;
  readonly language?: string;
}

/** The four images of an evaluation ISO, in its order. */
export const serverImages: readonly TestImage[] = [
  { name: "SERVERSTANDARDCORE", editionId: "ServerStandardEval", installationType: "Server Core" },
  { name: "SERVERSTANDARD", editionId: "ServerStandardEval", installationType: "Server" },
  {
    name: "SERVERDATACENTERCORE",
    editionId: "ServerDatacenterEval",
    installationType: "Server Core",
  },
  { name: "SERVERDATACENTER", editionId: "ServerDatacenterEval", installationType: "Server" },
];

/** Makes a WIM file with wimlib: an empty Windows for each image. */
export async function makeWim(
  file: string,
  images: readonly TestImage[],
  compress: "lzx" | "lzms" = "lzx",
): Promise<void> {
  const source = `${file}.content`;
  await mkdir(path.join(source, "Windows"), { recursive: true });
  await writeFile(path.join(source, "Windows", "any.txt"), "any");
  for (const [place, image] of images.entries()) {
    const properties = {
      ARCH: image.architecture ?? 9,
      EDITIONID: image.editionId ?? "ServerStandardEval",
      INSTALLATIONTYPE: image.installationType ?? "Server Core",
      "LANGUAGES/LANGUAGE": image.language ?? "en-US",
      "VERSION/BUILD": image.build ?? 20348,
      "VERSION/SPBUILD": image.revision ?? 2762,
    };
    await execa("wimlib-imagex", [
      ...(place === 0
        ? ["capture", source, file, image.name ?? "one"]
        : ["append", source, file, image.name ?? `image ${place}`]),
      ...(place === 0 ? [`--compress=${compress}`] : []),
      ...(compress === "lzms" && place === 0 ? ["--solid"] : []),
      "--threads=1",
      ...Object.entries(properties).map(
        ([key, value]) => `--image-property=WINDOWS/${key}=${value}`,
      ),
    ]);
  }
  await rm(source, { recursive: true });
}

/** Content of a disc: files on this host, or texts, by their paths on it. */
type DiscFiles = Readonly<Record<string, { readonly file: string } | string>>;

/** Makes an ISO as xorriso writes it (ISO 9660 with Joliet). */
export async function makeIso(iso: string, files: DiscFiles): Promise<void> {
  await withTree(iso, files, (tree) =>
    execa("xorriso", ["-as", "mkisofs", "-quiet", "-J", "-V", "TEST", "-o", iso, tree]),
  );
}

/** Makes a disc like Microsoft's: UDF, with only a readme in its ISO 9660 part. */
export async function makeUdf(iso: string, files: DiscFiles): Promise<void> {
  const hidden = [...new Set(Object.keys(files).map((name) => name.split("/")[0] ?? ""))];
  await withTree(iso, { ...files, "readme.txt": 'a "UDF" file system' }, (tree) =>
    execa("genisoimage", [
      ...["-quiet", "-udf", "-V", "TEST"],
      ...hidden.flatMap((name) => ["-hide", name]),
      ...["-o", iso, tree],
    ]),
  );
}

/** Files of a Windows Setup disc that installs this WIM file's images. */
export function setupFiles(wim: string): DiscFiles {
  return { bootmgr: "boots", "sources/boot.wim": "Setup", "sources/install.wim": { file: wim } };
}

/** Makes an ISO of Windows Setup with these images. */
export async function makeWindowsIso(iso: string, images: readonly TestImage[]): Promise<void> {
  const wim = `${iso}.wim`;
  await makeWim(wim, images);
  await makeIso(iso, setupFiles(wim));
}

async function withTree(
  iso: string,
  files: DiscFiles,
  make: (tree: string) => Promise<unknown>,
): Promise<void> {
  const tree = `${iso}.tree`;
  for (const [name, content] of Object.entries(files)) {
    const target = path.join(tree, name);
    await mkdir(path.dirname(target), { recursive: true });
    await (typeof content === "string" ? writeFile(target, content) : cp(content.file, target));
  }
  await make(tree);
  await rm(tree, { recursive: true });
}

/** Files as on virtio-win.iso, including symbols and drivers for another Windows. */
export function virtioFiles(version: string): Record<string, string> {
  const files = driverNames.flatMap((name) =>
    ["inf", "sys", "cat", "pdb"].map((end) => [
      `${name}/${version}/amd64/${name.toLowerCase()}.${end}`,
      end,
    ]),
  );
  return {
    ...(Object.fromEntries(files) as Record<string, string>),
    "viostor/w11/amd64/viostor.inf": "another Windows",
    "guest-agent/qemu-ga-x86_64.msi": "agent",
  };
}

/** Makes an archive like Win32-OpenSSH's, with these programs. */
export async function makeOpenSsh(
  zip: string,
  programs: readonly string[] = ["sshd", "sftp-server", "ssh-keygen"],
): Promise<void> {
  const tree = `${zip}.tree`;
  const folder = path.join(tree, "OpenSSH-Win64");
  await mkdir(folder, { recursive: true });
  for (const program of programs) await writeFile(path.join(folder, `${program}.exe`), program);
  await writeFile(path.join(folder, "install-sshd.ps1"), "installs");
  await execa("7z", ["a", "-tzip", zip, "OpenSSH-Win64"], { cwd: tree });
  await rm(tree, { recursive: true });
}

/** Makes an update like Microsoft's (.msu): a cabinet that contains a cabinet, here with only a text. */
export async function makeUpdate(
  msu: string,
  name = "Windows10.0-KB5044281-x64.cab",
  text = "an update",
): Promise<void> {
  const tree = `${msu}.tree`;
  await mkdir(tree, { recursive: true });
  await writeFile(path.join(tree, name), text);
  await execa("gcab", ["--create", "--nopath", msu, path.join(tree, name)]);
  await rm(tree, { recursive: true });
}

/** Makes the media for an image of Windows Server 2022: `windows.iso`, `virtio.iso` and `OpenSSH-Win64.zip`. */
export async function makeMedia(folder: string): Promise<void> {
  await makeWindowsIso(path.join(folder, "windows.iso"), serverImages);
  await makeIso(path.join(folder, "virtio.iso"), virtioFiles("2k22"));
  await makeOpenSsh(path.join(folder, "OpenSSH-Win64.zip"));
}

/** Problems that an examination finds, with paths relative to the test's folder. Fails if it finds none. */
export async function mediaProblems(examination: Promise<unknown>, folder = ""): Promise<string[]> {
  try {
    await examination;
  } catch (error) {
    assert.ok(error instanceof MediaError, String(error));
    return error.problems.map((problem) =>
      hostProblemText(problem).replaceAll(folder && `${folder}/`, ""),
    );
  }
  return assert.fail("nothing was found wrong");
}
