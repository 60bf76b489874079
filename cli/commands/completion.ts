import path from "node:path";
import type { Command } from "commander";

import { machineNodes } from "../../config/settings.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { complete } from "../completion/complete.ts";
import { completionScript } from "../completion/shell-scripts.ts";
import type { Shell } from "../completion/shell-scripts.ts";
import { exitCodes } from "../../host/failure.ts";
import { knownStacks, stackSettings } from "../stack-settings.ts";

/** `kindows completion`: what a shell must read to complete kindows' command lines. */
export function printCompletion({ shell }: { readonly shell: Shell }): Promise<number> {
  process.stdout.write(completionScript(shell, path.join(projectRoot, "kindows")));
  return Promise.resolve(exitCodes.ok);
}

/**
 * What the shells' scripts call: a line for each word that could be typed next, its description after a tab; `:files` or
 * `:folders` where the shell knows.
 *
 * @param words of the command line after `kindows`; the last one is being typed.
 */
export async function printCandidates(
  program: Command,
  words: readonly string[],
  defaultStack: string,
): Promise<number> {
  const found = await complete(program, words, {
    defaultStack,
    stacks: knownStacks,
    nodes: async (stack) =>
      stackSettings(stack).then(
        (settings) => machineNodes(settings).map(({ name }) => name),
        () => [],
      ),
  });
  const lines =
    typeof found === "string"
      ? [`:${found}`]
      : found.map(({ value, description }) => `${value}\t${description}`);
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return exitCodes.ok;
}
