import type { HostProblem } from "../../../config/preflight/host-problem.ts";
import { windowsVersionOf } from "../../../config/supported.ts";
import type { Settings } from "../../../config/settings.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import { listDisc, listUpdate, listZip } from "./disc.ts";
import { findDrivers } from "./drivers.ts";
import type { DriverFiles } from "./drivers.ts";
import { examineWindowsIso } from "./examine-windows-iso.ts";
import { locateMedia } from "./locate-media.ts";
import { imageMedia, isMadeFromIso, type ImageMedium } from "./media.ts";
import { collecting, MediaError } from "./media-error.ts";
import { checkOpenSsh } from "./open-ssh.ts";
import { checkUpdate } from "./update.ts";
import type { WindowsImage } from "./windows-images.ts";

/** Media an image can be made of. */
export interface ExaminedMedia {
  readonly windows: { readonly path: string; readonly image: WindowsImage };
  readonly drivers: { readonly path: string; readonly files: DriverFiles };
  /** The archive; undefined where Windows has its own. */
  readonly openSsh: { readonly path: string } | undefined;
  /** The cumulative update that is put into the image; undefined where none is named. */
  readonly update: { readonly path: string } | undefined;
}

/**
 * Looks at everything an image is made of before anything long begins.
 *
 * @throws MediaError with all that is wrong with any of the media; Error when a program is missing for looking.
 */
export async function examineMedia(
  windows: Settings["windows"],
  cache: Cache,
): Promise<ExaminedMedia> {
  const { image } = windows;
  if (!isMadeFromIso(image)) {
    throw new Error(`an image of kind ${image.kind} is not made from media`);
  }
  const version = windowsVersionOf(windows.version);
  const { edition, language } = image;
  const asked = imageMedia(image, version);
  const isWanted = (name: ImageMedium["name"]): boolean =>
    asked.media.some((medium) => medium.name === name);
  const { paths, problems } = await locateMedia(asked.media, cache);
  const found: HostProblem[] = [...asked.problems, ...problems];

  const examine = <T>(
    path: string | undefined,
    look: (path: string) => Promise<T>,
  ): Promise<T | undefined> =>
    collecting(found, async () => (path === undefined ? undefined : await look(path)));
  const iso = await examine(paths.windows, async (path) => ({
    path,
    image: await examineWindowsIso(path, {
      version,
      edition,
      language,
      updated: isWanted("update"),
    }),
  }));
  if (image.kind === "iso" && image.productKey !== undefined && isEvaluation(iso?.image)) {
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
  if (found.length > 0 || iso === undefined || drivers === undefined) {
    throw new MediaError(found);
  }
  return { windows: iso, drivers, openSsh, update };
}

function isEvaluation(image: WindowsImage | undefined): boolean {
  return image !== undefined && /Eval/.test(image.editionId);
}
