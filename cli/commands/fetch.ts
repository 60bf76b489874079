import { hostProblemText } from "../../config/host-problem.ts";
import { existingSoftware } from "../../stacks/existing-software.ts";
import { stackNeeds } from "../../stacks/stack-needs.ts";
import { Cache } from "../../toolchain/cache.ts";
import type { CommandResult, Options } from "../command-line/options.ts";
import { messageOf } from "../../host/failure.ts";
import { type DownloadedMedia, downloadedMedia, findUpdate } from "../fetch/image-media.ts";
import {
  fetchAndRecord,
  fetchPrograms,
  findPrograms,
  programsText,
  pushedArtifacts,
  pushedPrograms,
} from "../fetch/programs.ts";
import { say } from "../progress.ts";
import { existingSettings, stackSettings } from "../stack-settings.ts";

/**
 * `kindows fetch`: fills the cache with the programs that the stack installs on Windows machines, and with the media of
 * its image. Exit code 0 if all of them are present, else 1. Media that the settings do not name are only reported:
 * nodes on existing machines need none.
 */
export async function fetch({ stack, list }: Options<"list">): Promise<CommandResult> {
  const { programs, media } = await wanted(stack, list);
  if (programs.length === 0) {
    say(`the stack ${stack} downloads nothing: no Windows machine of it lacks programs`);
    return undefined;
  }
  const states = list
    ? await findPrograms([...programs, ...media.files], new Cache())
    : [...(await fetchAndRecord(programs)), ...(await fetchPrograms(media.files))];
  process.stdout.write(`${programsText(states)}\n`);
  for (const problem of media.problems) {
    process.stdout.write(`image: ${hostProblemText(problem)}\n`);
  }
  const missing = states.filter(({ state }) => state === "missing").length;
  return missing === 0 ? undefined : `files missing: ${missing}`;
}

async function wanted(stack: string, list: boolean) {
  const existing = await existingSettings(stack);
  if (existing !== undefined) {
    const programs = pushedArtifacts(existingSoftware(existing));
    return { programs, media: noMedia };
  }
  const settings = await stackSettings(stack);
  const needs = stackNeeds(settings);
  const programs = pushedPrograms(settings, needs);
  if (needs.windowsImage === undefined) return { programs, media: noMedia };
  if (!list) {
    // If the catalogue does not answer, the programs are fetched all the same, and the update is reported missing.
    await findUpdate(settings).catch((error: unknown) => say(messageOf(error)));
  }
  return { programs, media: downloadedMedia(settings) };
}

const noMedia: DownloadedMedia = { files: [], problems: [] };
