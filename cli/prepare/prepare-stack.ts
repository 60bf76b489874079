import path from "node:path";
import { examineArchives } from "../../components/image-archives/image-archives.ts";
import { hasWindowsNodes, pushesPrograms, type Settings } from "../../config/settings.ts";
import { Cache } from "../../toolchain/cache.ts";
import { settingsFile } from "../engine/folders.ts";
import { requireConsent, type Consent } from "../fetch/consent.ts";
import { ensureStackPrograms, findUpdate } from "../fetch/stack-programs.ts";
import { say } from "../progress.ts";
import { requireMakeableImage } from "./image-checks.ts";
import { prepare } from "./prepare.ts";
import { ensureStackImage } from "./stack-image.ts";

/**
 * First reports which archives of images can't be used, and what prevents its image from being built; then asks whether
 * to download what is missing.
 */
export async function prepareStack(
  stack: string,
  settings: Settings,
  consent: Consent,
): Promise<void> {
  const file = path.basename(settingsFile(stack));
  await examineArchives(settings.cluster.imageArchives, file, new Cache(), say);
  if (!hasWindowsNodes(settings)) {
    if (pushesPrograms(settings)) await requireConsent(settings, false, consent);
    await prepare(settings);
    if (pushesPrograms(settings)) await ensureStackPrograms(settings);
    return;
  }
  await findUpdate(settings);
  const makesImage = await requireMakeableImage(settings, new Cache(), say);
  await requireConsent(settings, makesImage, consent);
  await prepare(settings);
  await ensureStackPrograms(settings);
  await ensureStackImage(settings);
}
