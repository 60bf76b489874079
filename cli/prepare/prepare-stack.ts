import path from "node:path";
import { examineArchives } from "../../components/image-archives/image-archives.ts";
import type { Settings } from "../../config/settings.ts";
import { stackNeeds } from "../../stacks/stack-needs.ts";
import { Cache } from "../../toolchain/cache.ts";
import { settingsFile } from "../engine/folders.ts";
import { requireConsent, type Consent } from "../fetch/consent.ts";
import { ensurePrograms, pushedPrograms } from "../fetch/stack-programs.ts";
import { say } from "../progress.ts";
import { diskMaker } from "./disk-makers.ts";
import { prepare } from "./prepare.ts";

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
  const disk = await diskMaker(needs);
  const installation = disk?.installation;
  await installation?.lookUp(settings);
  const mustBeMade = await installation?.mustBeMade(settings, new Cache(), say);
  const programs = pushedPrograms(settings, needs);
  const media = mustBeMade ? (installation?.downloads(settings).files ?? []) : [];
  await requireConsent([...programs, ...media], consent);
  await prepare({ settings, needs });
  await ensurePrograms(programs);
  await installation?.make(settings);
}
