import type { HostProblem } from "../../config/host-problem.ts";
import { isMadeFromIso, type IsoImage } from "../../config/sections/windows-image.ts";
import type { Settings } from "../../config/settings.ts";
import type { WindowsVersion } from "../../config/supported.ts";
import {
  readSoftwareLock,
  softwareLockFile,
  type SoftwareLock,
} from "../../toolchain/software-lock.ts";
import type { PinnedFile } from "../../components/windows/download-artifact.ts";
import { lockedUpdate, minimumUpdate, neededWindows } from "./update-catalogue.ts";

/** A medium that is downloaded unless the settings name another one. */
interface PinnedMedium extends PinnedFile {
  /** Size of the file; undefined if it is too small to matter. */
  readonly bytes?: number;
}

/**
 * The virtio drivers. Their publisher gives no checksum of the ISO. This one is in antifob/incus-windows (`config.sh`
 * at 2ccbf2a), in ConvoyPanel/cofoundry (which says it was computed from the download) and in several public Nix
 * flakes.
 */
export const virtioDrivers: PinnedMedium = {
  uri: "https://fedorapeople.org/groups/virt/virtio-win/direct-downloads/archive-virtio/virtio-win-0.1.285-1/virtio-win-0.1.285.iso",
  sha256: "e14cf2b94492c3e925f0070ba7fdfedeb2048c91eea9c5a5afb30232a3976331",
  bytes: 789_645_312,
};

/**
 * OpenSSH for a Windows Server without it, some 5 MB. Two independent projects have this checksum: rgl/windows-vagrant
 * (`provision-openssh.ps1`) and JuliaPackaging/Yggdrasil (`O/OpenSSH/build_tarballs.jl`).
 */
export const openSshArchive: PinnedMedium = {
  uri: "https://github.com/PowerShell/Win32-OpenSSH/releases/download/10.0.0.0p2-Preview/OpenSSH-Win64.zip",
  sha256: "23f50f3458c4c5d0b12217c6a5ddfde0137210a30fa870e98b29827f7b43aba5",
};

interface PinnedIso extends PinnedMedium {
  /** The reason why the ISO is known to be too old for a node; undefined if it is new enough. */
  readonly tooOld?: string;
}

/**
 * Microsoft's English evaluation ISOs. Microsoft publishes no checksums of them. These checksums are, independently, in
 * rgl's windows-evaluation-isos.json and in dockur/windows, and for 2022 also in kubernetes-sigs/sig-windows-dev-tools.
 * They have not been verified with a download.
 */
export const evaluationIsos: Readonly<Record<WindowsVersion, PinnedIso>> = {
  "2022": {
    uri: "https://software-static.download.prss.microsoft.com/sg/download/888969d5-f34g-4e03-ac9d-1f9786c66749/SERVER_EVAL_x64FRE_en-us.iso",
    sha256: "3e4fa6d8507b554856fc9ca6079cc402df11a8b79344871669f0251535255325",
    bytes: 5_044_094_976,
    // kubernetes-sigs/sig-windows-dev-tools at ae218d7, of 10 May 2024.
    tooOld: "had this checksum in May 2024 already",
  },
  "2025": {
    uri: "https://software-static.download.prss.microsoft.com/dbazure/998969d5-f34g-4e03-ac9d-1f9786c66749/26100.32230.260111-0550.lt_release_svc_refresh_SERVER_EVAL_x64FRE_en-us.iso",
    sha256: "7b052573ba7894c9924e3e87ba732ccd354d18cb75a883efa9b900ea125bfd51",
    bytes: 8_152_356_864,
  },
};

const evaluationTerms =
  "Microsoft's terms for evaluations of Windows Server apply: 180 days, not for production, and activation over the " +
  "internet within the first 10 days (otherwise it shuts down). They are shown with the download on " +
  "https://www.microsoft.com/evalcenter and by Windows itself";

export interface ImageMedium {
  readonly name: "windows" | "drivers" | "openSsh" | "update";
  readonly source:
    | { readonly kind: "file"; readonly path: string; readonly sha256: string | undefined }
    | ({ readonly kind: "download" } & PinnedMedium);
}

/** The media in the settings, and a problem for each one that is missing or not allowed. */
export interface ImageMedia {
  readonly media: readonly ImageMedium[];
  readonly problems: readonly HostProblem[];
}

type NamedFile = IsoImage["drivers"];

/** @throws for an image that is not built from an ISO. */
export function isoImageOf({ image }: Pick<Settings["windows"], "image">): IsoImage {
  if (!isMadeFromIso(image)) {
    throw new Error(`an image of kind ${image.kind} is not made from an ISO`);
  }
  return image;
}

/** The media of the image according to the settings and the lock. Does not examine them. */
export function imageMedia(
  image: IsoImage,
  version: WindowsVersion,
  lock = readSoftwareLock(softwareLockFile),
): ImageMedia {
  const results = [
    windowsIso(image, version),
    named("drivers", image.drivers) ?? downloaded("drivers", virtioDrivers),
    // Also for 2025: it has its own, but that is not documented for each edition.
    named("openSsh", image.openSsh) ?? downloaded("openSsh", openSshArchive),
    update(image, version, lock),
  ].filter((each) => each !== undefined);
  return {
    media: results.filter((each) => "source" in each),
    problems: results.filter((each) => "why" in each),
  };
}

/** Number of the update that has to be found in the catalogue, if any. */
export function missingUpdate(
  image: IsoImage,
  version: WindowsVersion,
  lock: SoftwareLock,
): string | undefined {
  const kb = updateNumber(image, version);
  return kb === undefined || isRefused(image) || lockedUpdate(kb, lock) ? undefined : kb;
}

/** The update's number from the settings, or a default if they name no update and the ISO is known to be too old. */
function updateNumber(image: IsoImage, version: WindowsVersion): string | undefined {
  const { kb, path, url } = image.update;
  const isTooOld = tooOld(image, version) !== undefined && (path ?? url) === undefined;
  return kb ?? (isTooOld ? minimumUpdate : undefined);
}

function tooOld(image: IsoImage, version: WindowsVersion): string | undefined {
  const isPinned = image.kind === "evaluation-iso" && image.url === undefined;
  return isPinned ? evaluationIsos[version].tooOld : undefined;
}

type MediumOrProblem = ImageMedium | HostProblem | undefined;

function update(image: IsoImage, version: WindowsVersion, lock: SoftwareLock): MediumOrProblem {
  const kb = updateNumber(image, version);
  if (kb === undefined) return named("update", image.update);
  const locked = lockedUpdate(kb, lock);
  if (locked !== undefined) return downloaded("update", locked);
  // The catalogue is searched only after the user has agreed to the terms; until then only the terms are reported.
  if (isRefused(image)) return undefined;
  const old = tooOld(image, version);
  return {
    subject: `The update ${kb}`,
    why: `has not been looked up yet${old === undefined ? "" : `; the pinned evaluation ISO ${old}, and a node needs ${neededWindows}`}`,
    instead: "Run `./kindows fetch --stack <name>`, which finds it in Microsoft's Update Catalog.",
  };
}

function isRefused(image: IsoImage): boolean {
  return image.kind === "evaluation-iso" && !image.acceptLicence;
}

function windowsIso(image: IsoImage, version: WindowsVersion): MediumOrProblem {
  if (isRefused(image)) {
    return {
      subject: "The evaluation ISO",
      why: `is not used before you agree to its terms. ${evaluationTerms}`,
      instead: "When you have read them, write `acceptLicence: true` below kindows:windows.image.",
    };
  }
  return named("windows", image) ?? downloaded("windows", evaluationIsos[version]);
}

function named(
  name: ImageMedium["name"],
  { path, url, sha256 }: Partial<NamedFile>,
): ImageMedium | undefined {
  if (path !== undefined) return { name, source: { kind: "file", path, sha256 } };
  return url === undefined || sha256 === undefined
    ? undefined
    : downloaded(name, { uri: url, sha256 });
}

function downloaded(name: ImageMedium["name"], medium: PinnedMedium): ImageMedium {
  return { name, source: { kind: "download", ...medium } };
}
