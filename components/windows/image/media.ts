import type { HostProblem } from "../../../config/host-problem.ts";
import type { Settings } from "../../../config/settings.ts";
import type { WindowsVersion } from "../../../config/supported.ts";
import {
  readSoftwareLock,
  softwareLockFile,
  type SoftwareLock,
} from "../../../toolchain/software-lock.ts";
import { evaluationIsos, evaluationTerms } from "./evaluation-isos.ts";
import { openSshArchive, virtioDrivers } from "./pinned-media.ts";
import type { PinnedMedium } from "./pinned-media.ts";
import { lockedUpdate } from "./update-catalogue.ts";
import { minimumUpdate, neededWindows } from "./update.ts";

/** A file an image is made of. */
export interface ImageMedium {
  readonly name: "windows" | "drivers" | "openSsh" | "update";
  /** Where it lies on this host, or where it is downloaded from. */
  readonly source:
    | { readonly kind: "file"; readonly path: string; readonly sha256: string | undefined }
    | ({ readonly kind: "download" } & PinnedMedium);
}

/** The media that settings ask for, and what they leave open or forbid: each problem stands for a medium not had. */
export interface ImageMedia {
  readonly media: readonly ImageMedium[];
  readonly problems: readonly HostProblem[];
}

type Image = Settings["windows"]["image"];
type IsoImage = Extract<Image, { kind: "iso" | "evaluation-iso" }>;
type NamedFile = IsoImage["drivers"];

/** Whether the image is to be made from an ISO. */
export function isMadeFromIso(image: Image): image is IsoImage {
  return image.kind === "iso" || image.kind === "evaluation-iso";
}

/** What the image is made of, by the settings and the lock alone; nothing is looked at. */
export function imageMedia(
  image: IsoImage,
  version: WindowsVersion,
  lock = readSoftwareLock(softwareLockFile),
): ImageMedia {
  const chosen = (name: ImageMedium["name"], file: NamedFile, pinned: PinnedMedium): ImageMedia =>
    only(named(name, file) ?? { name, source: { kind: "download", ...pinned } });
  return merged([
    windowsIso(image, version),
    chosen("drivers", image.drivers, virtioDrivers),
    ...(version === "2025" ? [] : [chosen("openSsh", image.openSsh, openSshArchive)]),
    update(image, version, lock),
  ]);
}

/** Number of the update that the ISO takes and that is to be found now; undefined where none is. */
export function missingUpdate(
  image: IsoImage,
  version: WindowsVersion,
  lock: SoftwareLock,
): string | undefined {
  const kb = updateNumber(image, version);
  return kb === undefined || isRefused(image) || lockedUpdate(kb, lock) ? undefined : kb;
}

/** Number of the update, where the settings name one, or name no file for an ISO that is known to be too old without. */
function updateNumber(image: IsoImage, version: WindowsVersion): string | undefined {
  const { kb, path, url } = image.update;
  const isTooOld = tooOld(image, version) !== undefined && (path ?? url) === undefined;
  return kb ?? (isTooOld ? minimumUpdate : undefined);
}

function tooOld(image: IsoImage, version: WindowsVersion): string | undefined {
  const isPinned = image.kind === "evaluation-iso" && image.url === undefined;
  return isPinned ? evaluationIsos[version].tooOld : undefined;
}

function update(image: IsoImage, version: WindowsVersion, lock: SoftwareLock): ImageMedia {
  const kb = updateNumber(image, version);
  if (kb === undefined) {
    return only(named("update", image.update));
  }
  const locked = lockedUpdate(kb, lock);
  if (locked !== undefined) {
    return only({ name: "update", source: { kind: "download", ...locked } });
  }
  // It is looked for when the terms are agreed to, and till then only they are told.
  if (isRefused(image)) {
    return only(undefined);
  }
  const old = tooOld(image, version);
  const problem = {
    subject: `The update ${kb}`,
    why: `was not looked for yet${old === undefined ? "" : `; the evaluation ISO that is pinned here ${old}, and a node needs ${neededWindows}`}`,
    instead: "Run `./kindows fetch --stack <name>`, which finds it in Microsoft's Update Catalog.",
  };
  return { media: [], problems: [problem] };
}

/** Whether the terms are not agreed to that hold for the ISO. */
function isRefused(image: IsoImage): boolean {
  return image.kind === "evaluation-iso" && !image.acceptLicence;
}

function windowsIso(image: IsoImage, version: WindowsVersion): ImageMedia {
  if (image.kind === "iso") {
    const { path, sha256 } = image;
    return only({ name: "windows", source: { kind: "file", path, sha256 } });
  }
  if (isRefused(image)) {
    const problem = {
      subject: "The evaluation ISO",
      why: `is not used before you agree: ${evaluationTerms}`,
      instead: "Write `acceptLicence: true` below kindows:windows.image when you have read them.",
    };
    return { media: [], problems: [problem] };
  }
  const { url, sha256 } = image;
  const pinned =
    url === undefined || sha256 === undefined ? evaluationIsos[version] : { url, sha256 };
  return only({ name: "windows", source: { kind: "download", ...pinned } });
}

/** The file that the settings name; undefined where they name none. */
function named(
  name: ImageMedium["name"],
  { path, url, sha256 }: NamedFile,
): ImageMedium | undefined {
  if (path !== undefined) {
    return { name, source: { kind: "file", path, sha256 } };
  }
  return url === undefined || sha256 === undefined
    ? undefined
    : { name, source: { kind: "download", url, sha256 } };
}

function only(medium: ImageMedium | undefined): ImageMedia {
  return { media: medium === undefined ? [] : [medium], problems: [] };
}

function merged(parts: readonly ImageMedia[]): ImageMedia {
  return {
    media: parts.flatMap(({ media }) => media),
    problems: parts.flatMap(({ problems }) => problems),
  };
}
