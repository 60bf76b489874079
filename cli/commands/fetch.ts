import { hostProblemText } from "../../config/host-problem.ts";
import { existingSoftware } from "../../stacks/existing-software.ts";
import { Cache } from "../../toolchain/cache.ts";
import { exitCodes, messageOf } from "../../host/failure.ts";
import { findUpdate } from "../fetch/find-update.ts";
import {
  downloadedMedia,
  fetchFiles,
  fetchNoted,
  pushedArtifacts,
  pushedPrograms,
} from "../fetch/stack-programs.ts";
import { findPrograms, type HostArtifact, programsText } from "../fetch/programs.ts";
import { say } from "../progress.ts";
import { existingSettings, stackSettings } from "../stack-settings.ts";

export interface FetchCommandOptions {
  readonly stack: string;
  /** Only list what is in the cache. */
  readonly list: boolean;
}

/**
 * `kindows fetch`: fills the cache with the programs that the stack installs on Windows machines, and with the media of
 * its image.
 *
 * @returns exit code 0 if all of them are there, else 1. Media that the settings do not name are only reported:
 * nodes on existing machines need none.
 */
export async function fetch({ stack, list }: FetchCommandOptions): Promise<number> {
  const { programs, media } = await wanted(stack, list);
  if (programs.length === 0) {
    say(`the stack ${stack} fetches nothing: the rehearsal image carries its programs`);
    return exitCodes.ok;
  }
  const states = list
    ? await findPrograms([...programs, ...media.files], new Cache())
    : [...(await fetchNoted(programs)), ...(await fetchFiles(media.files))];
  process.stdout.write(`${programsText(states)}\n`);
  for (const problem of media.problems) {
    process.stdout.write(`image: ${hostProblemText(problem)}\n`);
  }
  return states.some(({ state }) => state === "missing") ? exitCodes.failed : exitCodes.ok;
}

/** What a stack installs on its machines, and the media of their image; existing machines need no image. */
async function wanted(
  stack: string,
  list: boolean,
): Promise<{
  readonly programs: HostArtifact[];
  readonly media: ReturnType<typeof downloadedMedia>;
}> {
  const existing = await existingSettings(stack);
  if (existing !== undefined) {
    const programs = pushedArtifacts(existingSoftware(existing));
    return { programs, media: { files: [], problems: [] } };
  }
  const settings = await stackSettings(stack);
  if (!list) {
    // If the catalogue does not answer, the programs are fetched all the same, and the update is reported missing.
    await findUpdate(settings).catch((error: unknown) => say(messageOf(error)));
  }
  return { programs: pushedPrograms(settings), media: downloadedMedia(settings) };
}
