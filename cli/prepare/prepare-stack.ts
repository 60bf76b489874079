import path from "node:path";
import { examineArchives } from "../../components/image-archives/image-archives.ts";
import type { Settings } from "../../config/settings.ts";
import { stackNeeds } from "../../stacks/stack-needs.ts";
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
  const needs = stackNeeds(settings);
  const makesMachines = needs.windowsImage !== undefined;
  let makesImage = false;
  if (makesMachines) {
    await findUpdate(settings);
    makesImage = await requireMakeableImage(settings, new Cache(), say);
  }
  // A rehearsal's image lacks some programs, too.
  const fetches = makesMachines || needs.pushesPrograms;
  if (fetches) await requireConsent(settings, makesImage, consent);
  await prepare({ settings, needs });
  if (fetches) await ensureStackPrograms(settings);
  if (makesMachines) await ensureStackImage(settings);
}
