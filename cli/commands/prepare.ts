import { consentOf } from "../fetch/consent.ts";
import { prepareExisting, prepareStack } from "../prepare/prepare.ts";
import type { Options } from "../command-line/options.ts";
import { say } from "../progress.ts";
import { existingSettings, stackSettings } from "../stack-settings.ts";

/** `kindows prepare`: installs and starts host packages, daemons, tools and images that the stack needs. */
export async function prepare({ stack, yes }: Options<"yes">): Promise<void> {
  if (await existingSettings(stack)) {
    await prepareExisting();
  } else {
    await prepareStack(stack, await stackSettings(stack), consentOf(stack, yes));
  }
  say(`everything that the stack ${stack} needs is in place`);
}
