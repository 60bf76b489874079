import { requireMakeableImage } from "../prepare/image-checks.ts";
import { prepare as prepareHost } from "../prepare/prepare.ts";
import { ensureStackImage } from "../prepare/stack-image.ts";
import { Cache } from "../../toolchain/cache.ts";
import { exitCodes } from "../failure.ts";
import { ensureStackPrograms } from "../fetch/stack-programs.ts";
import { say } from "../progress.ts";
import { stackSettings } from "../stack-settings.ts";

/** `kindows prepare`: host packages, daemons, tools and images that the stack needs. */
export async function prepare({ stack }: { readonly stack: string }): Promise<number> {
  const settings = await stackSettings(stack);
  await requireMakeableImage(settings, new Cache(), say);
  await prepareHost(settings, say);
  await ensureStackPrograms(settings);
  await ensureStackImage(settings);
  say(`everything that the stack ${stack} needs is in place`);
  return exitCodes.ok;
}
