import { execa } from "execa";

import { commandsOf, documents, repository } from "./documented-commands.ts";
import { whereaboutsOf } from "./where-commands-run.ts";
import type { RunHere } from "./where-commands-run.ts";

/** The `kindows` commands that a `make` command is; itself where it is none. */
export async function kindowsCommandsOf(
  words: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const { stdout } = await execa("make", ["-n", ...words.slice(1)], { cwd: repository });
  const found = stdout
    .split("\n")
    .flatMap((line) => /^\.\/kindows( .*)$/.exec(line.trim())?.[1]?.trim() ?? []);
  const stack = words.find((word) => word.startsWith("STACK="));
  return found.length === 0
    ? [words.filter((word) => word !== stack)]
    : found.map((line) => ["kindows", ...line.replaceAll('"', "").split(" ")]);
}

/** Command lines of `kindows` in the documents that are run: in a clone that has nothing yet, or with the engine. */
export async function commandsToRun(
  withEngine: boolean,
): Promise<readonly { readonly args: readonly string[]; readonly expected: RunHere }[]> {
  const found = new Map<string, { args: readonly string[]; expected: RunHere }>();
  for (const { words } of documents.flatMap(commandsOf)) {
    for (const each of words[0] === "make" ? await kindowsCommandsOf(words) : [words]) {
      const where = whereaboutsOf(each)?.[1];
      if (where !== undefined && "exitCodes" in where && (where.engine ?? false) === withEngine) {
        found.set(each.join(" "), { args: each.slice(1), expected: where });
      }
    }
  }
  return [...found.values()];
}
