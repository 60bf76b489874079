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

/** An installation medium of an image. */
export interface ImageMedium {
  readonly name: "windows" | "drivers" | "openSsh" | "update";
  /** Its path on this host, or its download. */
  readonly source:
    | { readonly kind: "file"; readonly path: string; readonly sha256: string | undefined }
    | ({ readonly kind: "download" } & PinnedMedium);
}

/** The media in the settings, and a problem for each one that is missing or not allowed. */
export interface ImageMedia {
  readonly media: readonly ImageMedium[];
  readonly problems: readonly HostProblem[];
}

type Image = Settings["windows"]["image"];
type IsoImage = Extract<Image, { kind: "iso" | "evaluation-iso" }>;
type NamedFile = IsoImage["drivers"];

/** Whether the image is built from an ISO. */
export function isMadeFromIso(image: Image): image is IsoImage {
  return image.kind === "iso" || image.kind === "evaluation-iso";
}

/** The media of the image, according to settings and lock; examines nothing. */
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

/** Number of the update for the ISO that has to be found now, if any. */
export function missingUpdate(
  image: IsoImage,
  version: WindowsVersion,
  lock: SoftwareLock,
): string | undefined {
  const kb = updateNumber(image, version);
  return kb === undefined || isRefused(image) || lockedUpdate(kb, lock) ? undefined : kb;
}

/** Number of the update, if the settings name one, or name no file and the ISO is known to be too old. */
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
  // It is looked up once the terms are agreed to; before that, only they are reported.
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

/** Whether the ISO's terms are not agreed to. */
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

/** The file that the settings name, if any. */
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
