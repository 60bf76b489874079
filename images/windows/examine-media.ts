import { spawn } from "node:child_process";
import { once } from "node:events";
import type { HostProblem } from "../../config/host-problem.ts";
import { windowsVersionOf } from "../../config/supported.ts";
import type { Settings } from "../../config/settings.ts";
import type { Cache } from "../../toolchain/cache.ts";
import { sha256OfFile } from "../../toolchain/cache-marker.ts";
import { collecting, MediaError } from "../disk/media-program.ts";
import { cachedDownload } from "../../components/windows/download-artifact.ts";
import { findFile, listDisc, unreadable, type DiscFile, type DiscListing } from "./disc.ts";
import { findDrivers, type DriverFiles } from "./drivers.ts";
import { imageMedia, isoImageOf, type ImageMedia, type ImageMedium } from "./media.ts";
import {
  chooseImage,
  NotAWim,
  readWindowsImages,
  type WantedWindows,
  type WindowsImage,
} from "./windows-images.ts";

export interface ExaminedMedia {
  readonly windows: { readonly path: string; readonly image: WindowsImage };
  readonly drivers: { readonly path: string; readonly files: DriverFiles };
  readonly openSsh: { readonly path: string } | undefined;
  readonly update: { readonly path: string } | undefined;
}

/**
 * Examines all media of an image, before anything that takes long begins.
 *
 * @throws MediaError with the problems of all media.
 */
export async function examineMedia(
  windows: Settings["windows"],
  cache: Cache,
): Promise<ExaminedMedia> {
  const { media, problems } = mediaFor(windows);
  const examined = await examineEach(windows, media, cache, [...problems]);
  const { windows: iso, drivers, openSsh, update } = examined;
  if (examined.problems.length > 0 || iso === undefined || drivers === undefined) {
    throw new MediaError(...examined.problems);
  }
  return { windows: iso, drivers, openSsh, update };
}

/** All problems of the user's own media. The other media need not be downloaded yet. */
export async function problemsOfOwnMedia(
  windows: Settings["windows"],
  cache: Cache,
): Promise<readonly HostProblem[]> {
  const own = mediaFor(windows).media.filter(({ source }) => source.kind === "file");
  return (await examineEach(windows, own, cache, [])).problems;
}

function mediaFor(windows: Settings["windows"]): ImageMedia {
  return imageMedia(isoImageOf(windows), windowsVersionOf(windows.version));
}

/** Examines each of the media, and appends their problems to the given ones. */
async function examineEach(
  settings: Settings["windows"],
  media: readonly ImageMedium[],
  cache: Cache,
  problems: HostProblem[],
): Promise<Partial<ExaminedMedia> & { readonly problems: readonly HostProblem[] }> {
  const image = isoImageOf(settings);
  const version = windowsVersionOf(settings.version);
  const { edition, language } = image;
  // According to the settings, because `media` may lack the update.
  const updated = mediaFor(settings).media.some(({ name }) => name === "update");
  const examine = <T extends object>(
    name: ImageMedium["name"],
    examineFile: (path: string) => Promise<T>,
  ): Promise<({ readonly path: string } & T) | undefined> =>
    collecting(problems, async () => {
      const medium = media.find((each) => each.name === name);
      if (medium === undefined) return undefined;
      const path = await locate(medium, cache);
      return { path, ...(await examineFile(path)) };
    });
  const windows = await examine("windows", async (path) => ({
    image: await examineWindowsIso(path, { version, edition, language, updated }),
  }));
  const isEvaluation = windows?.image.editionId.includes("Eval") === true;
  if (image.kind === "iso" && image.productKey !== undefined && isEvaluation) {
    problems.push({
      subject: "kindows:windows.image.productKey",
      why: "is given, and the ISO is an evaluation, which takes none: Setup would find no image to install",
      instead: "Leave it out.",
    });
  }
  const drivers = await examine("drivers", async (path) => ({
    files: findDrivers(await listDisc(path), version),
  }));
  const openSsh = await examine("openSsh", async (path) =>
    requireOpenSsh(await listDisc(path, "zip")),
  );
  const update = await examine("update", async (path) =>
    requireUpdate(await listDisc(path, "msu")),
  );
  return { problems, openSsh, update, windows, drivers };
}

/** Path of a medium in the cache or on this host. A user's file is read and compared if it has a checksum. */
async function locate({ source }: ImageMedium, cache: Cache): Promise<string> {
  if (source.kind === "file") return verified(source.path, source.sha256);
  const downloaded = await cachedDownload(source, cache);
  if (downloaded !== undefined) return downloaded;
  throw new MediaError({
    subject: source.uri,
    why: "is not in this host's cache",
    instead: "Run `./kindows fetch --stack <name>`.",
  });
}

async function verified(file: string, wanted: string | undefined): Promise<string> {
  if (wanted === undefined) return file;
  const actual = await sha256OfFile(file).catch((error: unknown) => {
    throw new MediaError(unreadable(file, error));
  });
  if (actual === wanted) return file;
  throw new MediaError({
    subject: file,
    why: `has SHA-256 ${actual}, not ${wanted} as in the settings`,
    instead: "Compare it with the publisher's checksum, and download the file again.",
  });
}

/** Folder in the archive of Win32-OpenSSH. It is also the archive's name without `.zip`. */
export const openSshFolder = "OpenSSH-Win64";

/** Files that the archive must have: the server, SFTP, and the script that registers the services. */
const openSshFiles = ["sshd.exe", "sftp-server.exe", "ssh-keygen.exe", "install-sshd.ps1"].map(
  (name) => `${openSshFolder}/${name}`,
);

function requireOpenSsh(archive: DiscListing): DiscListing {
  const lacking = openSshFiles.filter((name) => findFile(archive, name) === undefined);
  if (lacking.length > 0) {
    throw new MediaError({
      subject: archive.path,
      why: `is not OpenSSH for 64-bit Windows: it lacks ${lacking.join(", ")}`,
      instead: "Write the path of OpenSSH-Win64.zip, as PowerShell/Win32-OpenSSH publishes it.",
    });
  }
  return archive;
}

/** Archives inside an update: cabinets, or a WIM with a file of differences. */
const payload = /\.(cab|wim|psf)$/i;

function requireUpdate(archive: DiscListing): DiscListing {
  if (!archive.files.some(({ path }) => payload.test(path))) {
    throw new MediaError({
      subject: archive.path,
      why: "is not an update: it contains neither a cabinet nor a WIM",
      instead:
        "Write the path of an .msu file from Microsoft's Update Catalog, not of a file unpacked from one.",
    });
  }
  return archive;
}

/** Possible paths of Setup's images: a WIM, a smaller ESD, or the first of several parts. */
const imageFiles = ["sources/install.wim", "sources/install.esd", "sources/install.swm"];

/** Files that a disc needs to boot into Setup, with any firmware. */
const setupFiles = ["sources/boot.wim", "bootmgr"];

const readTimeoutSeconds = 600;

/**
 * Finds the image to install on an ISO, which must have Windows Server with the wanted edition, build and language.
 * Reads the ISO once, without extracting the images to the disk.
 *
 * @throws MediaError with all problems of the ISO.
 */
export async function examineWindowsIso(iso: string, wanted: WantedWindows): Promise<WindowsImage> {
  const disc = await listDisc(iso);
  const lacking = setupFiles.filter((file) => findFile(disc, file) === undefined);
  const file = imageFiles.map((name) => findFile(disc, name)).find(Boolean);
  if (file === undefined || lacking.length > 0) {
    const names = [...(file === undefined ? ["sources/install.wim"] : []), ...lacking];
    throw new MediaError({
      subject: iso,
      why: `is not an ISO of Windows Setup: ${names.join(" and ")} is not on it`,
      instead: "Write the path of an ISO of Windows Server.",
    });
  }
  return chooseImage(iso, await imagesOn(disc, file), wanted);
}

async function imagesOn(disc: DiscListing, file: DiscFile): Promise<WindowsImage[]> {
  const reading = spawn("7z", ["e", "-so", "-p", "--", disc.path, file.path], {
    stdio: ["ignore", "pipe", "ignore"],
    timeout: readTimeoutSeconds * 1000,
  });
  const ended = once(reading, "close");
  try {
    return await readWindowsImages(reading.stdout as AsyncIterable<Buffer>, file.bytes);
  } catch (error) {
    if (!(error instanceof NotAWim)) throw error;
    throw new MediaError({
      subject: `${file.path} on ${disc.path}`,
      why: error.message,
      instead: "Download the ISO again.",
    });
  } finally {
    reading.kill();
    await ended;
  }
}
