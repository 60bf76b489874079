import { prepare as prepareTools } from "../../toolchain/prepare.ts";
import { exitCodes } from "../failure.ts";
import { say } from "../progress.ts";
import { stackSettings } from "../stack-settings.ts";

/** `kindows prepare`: host packages, tools, images and daemons that the stack needs. */
export async function prepare({ stack }: { readonly stack: string }): Promise<number> {
  await stackSettings(stack);
  await prepareStack(stack);
  say(`everything that the stack ${stack} needs is in place`);
  return exitCodes.ok;
}

/** Puts in place what a stack needs; quick when it is there. */
export async function prepareStack(stack: string): Promise<void> {
  await prepareTools(stack);
}
