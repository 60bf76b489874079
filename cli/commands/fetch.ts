import { Cache } from "../../toolchain/cache.ts";
import { exitCodes } from "../failure.ts";
import { findPrograms } from "../fetch/programs.ts";
import { programsText } from "../fetch/report.ts";
import { fetchStackPrograms, pushedPrograms } from "../fetch/stack-programs.ts";
import { say } from "../progress.ts";
import { stackSettings } from "../stack-settings.ts";

export interface FetchCommandOptions {
  readonly stack: string;
  /** Only tell what is there. */
  readonly list: boolean;
}

/**
 * `kindows fetch`: fills the cache with the programs that the stack installs on Windows machines.
 *
 * @returns exit code 0 when all of them are there, else 1.
 */
export async function fetch({ stack, list }: FetchCommandOptions): Promise<number> {
  const settings = await stackSettings(stack);
  const media = pushedPrograms(settings);
  if (media.length === 0) {
    say(`the stack ${stack} fetches nothing: the rehearsal image carries its programs`);
    return exitCodes.ok;
  }
  const states = list
    ? await findPrograms(media, new Cache())
    : await fetchStackPrograms(settings, true);
  process.stdout.write(`${programsText(states)}\n`);
  return states.some(({ state }) => state === "missing") ? exitCodes.failed : exitCodes.ok;
}
