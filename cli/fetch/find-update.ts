import { isMadeFromIso, missingUpdate } from "../../components/windows/image/media.ts";
import { nameAnUpdate } from "../../components/windows/image/update.ts";
import {
  catalogueSearch,
  findInCatalogue,
  updateCatalogue,
} from "../../components/windows/image/update-catalogue.ts";
import type { Settings } from "../../config/settings.ts";
import { windowsVersionOf } from "../../config/supported.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { lockChecksum } from "../../toolchain/publisher.ts";
import { readSoftwareLock, softwareLockFile } from "../../toolchain/software-lock.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { say } from "../progress.ts";

/**
 * Finds the update for the ISO if neither settings nor lock have its file, and locks what Microsoft's catalogue says about
 * it: trust on first use. Queries nothing before the terms are agreed to, and downloads nothing.
 *
 * @throws Failure with an alternative.
 */
export async function findUpdate(
  { windows }: Pick<Settings, "windows">,
  lockFile = softwareLockFile,
  site = updateCatalogue,
): Promise<void> {
  const { image, version } = windows;
  if (!isMadeFromIso(image)) {
    return;
  }
  const kb = missingUpdate(image, windowsVersionOf(version), readSoftwareLock(lockFile));
  if (kb === undefined) {
    return;
  }
  say(`looks for ${kb} in Microsoft's Update Catalog`);
  await ensureHostPackages(["curl"], say);
  try {
    const { url, sha256 } = await findInCatalogue(kb, site);
    await lockChecksum({ url, checksumUrl: catalogueSearch(kb) }, sha256, say, lockFile);
  } catch (error) {
    throw new Failure(
      `${kb} could not be found in Microsoft's Update Catalog: ${messageOf(error)}. ${nameAnUpdate}`,
    );
  }
}
