import { readFileSync } from "node:fs";
import path from "node:path";

import type { Shell } from "../command-line/options.ts";
import { shellWord } from "../../host/shell-word.ts";
import { projectRoot } from "../../toolchain/project.ts";

/**
 * Script that completes kindows' command lines in a shell. It calls the `kindows` that is being typed, so that each clone
 * completes its own stacks.
 *
 * @param program absolute path of this clone's `kindows`, for when the shell cannot run the typed word.
 */
export function completionScript(shell: Shell, program: string): string {
  const file = path.join(projectRoot, "cli", "completion", `kindows.${shell}`);
  return readFileSync(file, "utf8").replaceAll("@PROGRAM@", () => shellWord(program));
}
