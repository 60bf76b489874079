import type { HostProblem } from "../../../config/preflight/host-problem.ts";
import type { Settings } from "../../../config/settings.ts";
import type { WindowsVersion } from "../../../config/supported.ts";
import { evaluationIsos, evaluationTerms } from "./evaluation-isos.ts";
import { nameAnUpdate, neededWindows } from "./update.ts";

/** A file an image is made of. */
export interface ImageMedium {
  readonly name: "windows" | "drivers" | "openSsh" | "update";
  /** Where it lies on this host, or where it is downloaded from. */
  readonly source:
    | { readonly kind: "file"; readonly path: string; readonly sha256: string | undefined }
    | { readonly kind: "download"; readonly url: string; readonly sha256: string };
}

/** The media that settings ask for, and what they leave open or forbid: each problem stands for a medium not had. */
export interface ImageMedia {
  readonly media: readonly ImageMedium[];
  readonly problems: readonly HostProblem[];
}

type Image = Settings["windows"]["image"];
type IsoImage = Extract<Image, { kind: "iso" | "evaluation-iso" }>;

/** Whether the image is to be made from an ISO. */
export function isMadeFromIso(image: Image): image is IsoImage {
  return image.kind === "iso" || image.kind === "evaluation-iso";
}

/** What the image is made of, by the settings alone; nothing is looked at. */
export function imageMedia(image: IsoImage, version: WindowsVersion): ImageMedia {
  const openSsh = named("openSsh", image.openSsh, openSshMissing);
  return merged([
    windowsIso(image, version),
    named("drivers", image.drivers, driversMissing),
    ...(version === "2025" ? [] : [openSsh]),
    update(image, version),
  ]);
}

const driversMissing: HostProblem = {
  subject: "kindows:windows.image.drivers",
  why: "names no ISO of virtio drivers, without which Setup sees neither disk nor network",
  instead:
    "Download virtio-win.iso from the virtio-win project and write its `path`, or write `url` and `sha256` of one.",
};

const openSshMissing: HostProblem = {
  subject: "kindows:windows.image.openSsh",
  why: "names no OpenSSH, and Windows Server 2022 has none on its ISO",
  instead:
    "Download OpenSSH-Win64.zip from the releases of PowerShell/Win32-OpenSSH and write its `path`, or write `url` and `sha256` of one.",
};

/** An update, where one is named; asked for where the ISO is known to be too old without. */
function update(image: IsoImage, version: WindowsVersion): ImageMedia {
  const { path, url } = image.update;
  const isPinned = image.kind === "evaluation-iso" && image.url === undefined;
  const tooOld = isPinned ? evaluationIsos[version].tooOld : undefined;
  return path === undefined && url === undefined && tooOld === undefined
    ? { media: [], problems: [] }
    : named("update", image.update, {
        subject: `The evaluation ISO of Windows Server ${version} that is pinned here`,
        why: `${tooOld}, and a node needs ${neededWindows}`,
        instead: nameAnUpdate,
      });
}

function windowsIso(image: IsoImage, version: WindowsVersion): ImageMedia {
  if (image.kind === "iso") {
    const { path, sha256 } = image;
    return { media: [{ name: "windows", source: { kind: "file", path, sha256 } }], problems: [] };
  }
  if (!image.acceptLicence) {
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
  return { media: [{ name: "windows", source: { kind: "download", ...pinned } }], problems: [] };
}

function named(
  name: ImageMedium["name"],
  file: IsoImage["drivers"],
  missing: HostProblem,
): ImageMedia {
  const { path, url, sha256 } = file;
  if (path !== undefined) {
    return { media: [{ name, source: { kind: "file", path, sha256 } }], problems: [] };
  }
  return url === undefined || sha256 === undefined
    ? { media: [], problems: [missing] }
    : { media: [{ name, source: { kind: "download", url, sha256 } }], problems: [] };
}

function merged(parts: readonly ImageMedia[]): ImageMedia {
  return {
    media: parts.flatMap(({ media }) => media),
    problems: parts.flatMap(({ problems }) => problems),
  };
}
