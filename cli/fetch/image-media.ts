import type { HostProblem } from "../../config/host-problem.ts";
import { isMadeFromIso } from "../../config/sections/windows-image.ts";
import type { Settings } from "../../config/settings.ts";
import { windowsVersionOf } from "../../config/supported.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { imageMedia, missingUpdate } from "../../images/windows/media.ts";
import {
  catalogueSearch,
  findInCatalogue,
  nameAnUpdate,
  updateCatalogue,
} from "../../images/windows/update-catalogue.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { lockChecksum, requireTrust } from "../../toolchain/publisher.ts";
import { readSoftwareLock, softwareLockFile } from "../../toolchain/software-lock.ts";
import { say } from "../progress.ts";
import type { FetchedFile } from "./programs.ts";

export interface DownloadedMedia {
  readonly files: readonly (FetchedFile & { readonly sha256: string })[];
  readonly problems: readonly HostProblem[];
}

/** Downloads for a stack's image: pinned, never trusted on first use. */
export function downloadedMedia({ windows }: Pick<Settings, "windows">): DownloadedMedia {
  const { image, version } = windows;
  if (!isMadeFromIso(image)) return { files: [], problems: [] };
  const { media, problems } = imageMedia(image, windowsVersionOf(version));
  const files = media.flatMap(({ source }) => (source.kind === "file" ? [] : [source]));
  return { files, problems };
}

/**
 * Finds the update for the ISO if neither settings nor lock have its file, and locks what Microsoft's catalogue says
 * about it: trust on first use. Queries nothing before the terms are agreed to, and downloads nothing.
 */
export async function findUpdate(
  { windows }: Pick<Settings, "windows">,
  lockFile = softwareLockFile,
  site = updateCatalogue,
): Promise<void> {
  const { image, version } = windows;
  if (!isMadeFromIso(image)) return;
  const kb = missingUpdate(image, windowsVersionOf(version), readSoftwareLock(lockFile));
  if (kb === undefined) return;
  say(`looking for ${kb} in Microsoft's Update Catalog`);
  await ensureHostPackages(["curl"], say);
  try {
    requireTrust(`${kb} (cumulative update)`);
    const { uri: url, sha256 } = await findInCatalogue(kb, site);
    await lockChecksum({ url, checksumUrl: catalogueSearch(kb) }, sha256, say, lockFile);
  } catch (error) {
    throw new Failure(
      `${kb} could not be found in Microsoft's Update Catalog: ${messageOf(error)}. ${nameAnUpdate}`,
    );
  }
}
