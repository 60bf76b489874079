import type { HostProblem } from "../../../config/host-problem.ts";
import { windowsVersionOf } from "../../../config/supported.ts";
import type { Settings } from "../../../config/settings.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import {
  listDisc,
  listUpdate,
  listZip,
  findFile,
  type DiscFile,
  type DiscListing,
} from "./disc.ts";
import { findDrivers, type DriverFiles } from "./drivers.ts";
import { locateMedia } from "./locate-media.ts";
import { imageMedia, isMadeFromIso, type ImageMedia, type ImageMedium } from "./media.ts";
import { collecting, MediaError } from "../../machine/disk/media-program.ts";
import { checkOpenSsh } from "./open-ssh.ts";
import { checkUpdate } from "./update.ts";
import { type WindowsImage, readWindowsImages } from "./windows-images.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chooseImage, type WantedWindows } from "./choose-image.ts";
import { NotAWim, saveWimIndex } from "./wim-index.ts";

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
    throw new MediaError(found);
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

function mediaFor({ image, version }: Settings["windows"]): ImageMedia {
  if (!isMadeFromIso(image)) {
    throw new Error(`an image of kind ${image.kind} is not made from media`);
  }
  return imageMedia(image, windowsVersionOf(version));
}

async function look(
  settings: Settings["windows"],
  media: readonly ImageMedium[],
  cache: Cache,
): Promise<FoundMedia> {
  const { image } = settings;
  if (!isMadeFromIso(image)) {
    throw new Error(`an image of kind ${image.kind} is not made from media`);
  }
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
  if (image.kind === "iso" && image.productKey !== undefined && isEvaluation(windows?.image)) {
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
    checkOpenSsh(await listZip(path));
    return { path };
  });
  const update = await examine(paths.update, async (path) => {
    checkUpdate(await listUpdate(path));
    return { path };
  });
  return {
    problems: found,
    openSsh,
    update,
    ...(windows !== undefined && { windows }),
    ...(drivers !== undefined && { drivers }),
  };
}

function isEvaluation(image: WindowsImage | undefined): boolean {
  return image !== undefined && /Eval/.test(image.editionId);
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
    throw new MediaError([
      {
        subject: iso,
        why: `is not an ISO of Windows Setup: ${names.join(" and ")} is not on it`,
        instead: "Write the path of an ISO of Windows Server.",
      },
    ]);
  }
  const choice = chooseImage(iso, await imagesOn(disc, file), wanted);
  if (choice.image === undefined) {
    throw new MediaError(choice.problems);
  }
  return choice.image;
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
    if (!(error instanceof NotAWim)) {
      throw error;
    }
    throw new MediaError([
      {
        subject: `${file.path} on ${disc.path}`,
        why: error.message,
        instead: "Download the ISO again.",
      },
    ]);
  } finally {
    reading.kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}
