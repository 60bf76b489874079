import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { HostProblem } from "../../../config/host-problem.ts";
import { windowsVersionOf } from "../../../config/supported.ts";
import type { Settings } from "../../../config/settings.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import { collecting, MediaError } from "../../machine/disk/media-program.ts";
import { chooseImage, type WantedWindows } from "./choose-image.ts";
import { openSshFolder } from "./config-disc-paths.ts";
import { findFile, listDisc, type DiscFile, type DiscListing } from "./disc.ts";
import { findDrivers, type DriverFiles } from "./drivers.ts";
import { locateMedia } from "./locate-media.ts";
import { imageMedia, isoImageOf, type ImageMedia, type ImageMedium } from "./media.ts";
import { NotAWim, readWindowsImages, saveWimIndex, type WindowsImage } from "./windows-images.ts";

/** Media from which an image can be built. */
export interface ExaminedMedia {
  readonly windows: { readonly path: string; readonly image: WindowsImage };
  readonly drivers: { readonly path: string; readonly files: DriverFiles };
  /** The archive; undefined if Windows has its own. */
  readonly openSsh: { readonly path: string } | undefined;
  /** The cumulative update, if one is named. */
  readonly update: { readonly path: string } | undefined;
}

/** Results of examining media, with their problems, and separately the missing ones. */
interface FoundMedia extends Partial<ExaminedMedia> {
  readonly problems: readonly HostProblem[];
}

/**
 * Examines all media of an image before anything long begins.
 *
 * @throws MediaError with all problems of the media; Error if a program for examining them is missing.
 */
export async function examineMedia(
  windows: Settings["windows"],
  cache: Cache,
): Promise<ExaminedMedia> {
  const { media, problems: unnamed } = mediaFor(windows);
  const { problems, windows: iso, drivers, openSsh, update } = await look(windows, media, cache);
  const found = [...unnamed, ...problems];
  if (found.length > 0 || iso === undefined || drivers === undefined) {
    throw new MediaError(...found);
  }
  return { windows: iso, drivers, openSsh, update };
}

/**
 * Examines the user's own media, even if others are not downloaded yet.
 *
 * @returns all their problems.
 * @throws Error if a program for examining them is missing.
 */
export async function problemsOfOwnMedia(
  windows: Settings["windows"],
  cache: Cache,
): Promise<readonly HostProblem[]> {
  const own = mediaFor(windows).media.filter(({ source }) => source.kind === "file");
  return (await look(windows, own, cache)).problems;
}

function mediaFor(windows: Settings["windows"]): ImageMedia {
  return imageMedia(isoImageOf(windows), windowsVersionOf(windows.version));
}

async function look(
  settings: Settings["windows"],
  media: readonly ImageMedium[],
  cache: Cache,
): Promise<FoundMedia> {
  const image = isoImageOf(settings);
  const version = windowsVersionOf(settings.version);
  const { edition, language } = image;
  // From the settings, as the examined media may be only a part.
  const updated = mediaFor(settings).media.some(({ name }) => name === "update");
  const { paths, problems } = await locateMedia(media, cache);
  const found: HostProblem[] = [...problems];

  const examine = <T>(
    path: string | undefined,
    lookAt: (path: string) => Promise<T>,
  ): Promise<T | undefined> =>
    collecting(found, async () => (path === undefined ? undefined : await lookAt(path)));
  const windows = await examine(paths.windows, async (path) => ({
    path,
    image: await examineWindowsIso(path, { version, edition, language, updated }),
  }));
  const isEvaluation = windows?.image.editionId.includes("Eval") === true;
  if (image.kind === "iso" && image.productKey !== undefined && isEvaluation) {
    found.push({
      subject: "kindows:windows.image.productKey",
      why: "is given, and the ISO is an evaluation, which takes none: Setup would find no image to install",
      instead: "Leave it out.",
    });
  }
  const drivers = await examine(paths.drivers, async (path) => ({
    path,
    files: findDrivers(await listDisc(path), version),
  }));
  const openSsh = await examine(paths.openSsh, async (path) => {
    checkOpenSsh(await listDisc(path, "zip"));
    return { path };
  });
  const update = await examine(paths.update, async (path) => {
    checkUpdate(await listDisc(path, "msu"));
    return { path };
  });
  return { problems: found, openSsh, update, windows, drivers };
}

/** What the archive must have: server, SFTP, the script that registers the services. */
const openSshFiles = ["sshd.exe", "sftp-server.exe", "ssh-keygen.exe", "install-sshd.ps1"].map(
  (name) => `${openSshFolder}/${name}`,
);

function checkOpenSsh(archive: DiscListing): void {
  const lacking = openSshFiles.filter((name) => findFile(archive, name) === undefined);
  if (lacking.length > 0) {
    throw new MediaError({
      subject: archive.path,
      why: `is not OpenSSH for 64-bit Windows: it lacks ${lacking.join(", ")}`,
      instead: "Write the path of OpenSSH-Win64.zip, as PowerShell/Win32-OpenSSH publishes it.",
    });
  }
}

/** Archives in an update: cabinets, or a WIM with a file of differences. */
const payload = /\.(cab|wim|psf)$/i;

function checkUpdate(archive: DiscListing): void {
  if (!archive.files.some(({ path }) => payload.test(path))) {
    throw new MediaError({
      subject: archive.path,
      why: "is no update: nothing in it is a cabinet or a WIM",
      instead:
        "Write the path of an .msu, as Microsoft's Update Catalog has it, not of what was unpacked from one.",
    });
  }
}

/** Paths of Setup's images: a WIM, a smaller ESD, or the first of several parts. */
const imageFiles = ["sources/install.wim", "sources/install.esd", "sources/install.swm"];

/** Files without which such a disc does not boot into Setup with any firmware. */
const setupFiles = ["sources/boot.wim", "bootmgr"];

/** Reading one large file inside the ISO once, also from a slow disk. */
const readTimeoutSeconds = 600;

/**
 * Finds the image to install on an ISO, which must be Windows Server with the wanted edition, build and language. Reads the
 * ISO once and writes next to nothing.
 *
 * @throws MediaError with everything that is wrong with it.
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
  const folder = await mkdtemp(path.join(tmpdir(), "kindows-wim-"));
  const index = path.join(folder, "index.wim");
  const reading = spawn("7z", ["e", "-so", "-p", "--", disc.path, file.path], {
    stdio: ["ignore", "pipe", "ignore"],
    timeout: readTimeoutSeconds * 1000,
  });
  const ended = once(reading, "close");
  try {
    await saveWimIndex(reading.stdout as AsyncIterable<Buffer>, file.bytes, index);
    return await readWindowsImages(index);
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
    await rm(folder, { recursive: true, force: true });
  }
}
