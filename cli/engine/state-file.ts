import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { stateFile } from "./folders.ts";
import type { Deployment } from "./deployment.ts";
import { parseDeployment } from "./deployment.ts";

const fileSchema = z.object({
  version: z.number(),
  checkpoint: z.object({ latest: z.record(z.string(), z.unknown()).nullish() }),
});

/**
 * State of a stack as the engine last wrote it, read without the engine and never written.
 *
 * @returns undefined if the stack does not exist.
 * @throws when the file is damaged.
 */
export async function readStateFile(stack: string): Promise<Deployment | undefined> {
  let text: string;
  try {
    text = await readFile(stateFile(stack), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
  const { version, checkpoint } = fileSchema.parse(JSON.parse(text));
  return parseDeployment(JSON.stringify({ version, deployment: checkpoint.latest ?? {} }));
}

/** Stacks that have a state in this clone. */
export async function stacksWithState(): Promise<readonly string[]> {
  const names = await readdir(path.dirname(stateFile("any"))).catch(() => [] as string[]);
  return names.flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []).sort();
}
