import { prepareStack } from "../prepare/prepare-stack.ts";
import { exitCodes } from "../failure.ts";
import { say } from "../progress.ts";
import { stackSettings } from "../stack-settings.ts";

/** `kindows prepare`: host packages, daemons, tools and images that the stack needs. */
export async function prepare({ stack }: { readonly stack: string }): Promise<number> {
  const settings = await stackSettings(stack);
  await prepareStack(settings, say);
  say(`everything that the stack ${stack} needs is in place`);
  return exitCodes.ok;
}
