import type { HostProblem } from "../../../config/host-problem.ts";
import { windowsVersionOf } from "../../../config/supported.ts";
import type { Settings } from "../../../config/settings.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import { listDisc, listUpdate, listZip } from "./disc.ts";
import { findDrivers } from "./drivers.ts";
import type { DriverFiles } from "./drivers.ts";
import { examineWindowsIso } from "./examine-windows-iso.ts";
import { locateMedia } from "./locate-media.ts";
import { imageMedia, isMadeFromIso, type ImageMedia, type ImageMedium } from "./media.ts";
import { collecting, MediaError } from "../../machine/disk/media-program.ts";
import { checkOpenSsh } from "./open-ssh.ts";
import { checkUpdate } from "./update.ts";
import type { WindowsImage } from "./windows-images.ts";

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
