import { readFile } from "node:fs/promises";
import type * as z from "zod";

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Content of a JSON file; undefined if it is missing, damaged, or of another form. */
export async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  return schema.safeParse(parseJson(await readFile(file, "utf8").catch(() => ""))).data;
}
