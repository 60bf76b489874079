import { access, constants } from "node:fs/promises";

import { builtArtifacts } from "../../toolchain/built.ts";
import { messageOf } from "../failure.ts";
import type { Present } from "./present.ts";

/** Tools that `kindows prepare` has put in place, and those that are missing. */
export interface PreparedTools {
  readonly present: readonly Present[];
  /** One line for each problem. */
  readonly problems: readonly string[];
}

/** Looks at the tools of this clone. */
export async function preparedTools(): Promise<PreparedTools> {
  let tools: Readonly<Record<string, string>>;
  try {
    tools = builtArtifacts().tools;
  } catch (error) {
    return { present: [], problems: [messageOf(error)] };
  }
  const looked = await Promise.all(
    Object.entries(tools).map(async ([what, detail]) => ({
      what,
      detail,
      there: await access(detail, constants.X_OK).then(
        () => true,
        () => false,
      ),
    })),
  );
  return {
    present: looked.filter(({ there }) => there).map(({ what, detail }) => ({ what, detail })),
    problems: looked
      .filter(({ there }) => !there)
      .map(({ what, detail }) => `the tool ${what} is gone (${detail}): run \`kindows prepare\``),
  };
}
