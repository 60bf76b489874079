import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

const noteFile = "image.json";

const noteSchema = z.object({
  version: z.string(),
  edition: z.string(),
  language: z.string(),
  build: z.number(),
  revision: z.number(),
});

/** The Windows version of an image, in a file beside its disk. */
export type ImageNote = z.infer<typeof noteSchema>;

export async function writeImageNote(folder: string, note: ImageNote): Promise<void> {
  await writeFile(path.join(folder, noteFile), `${JSON.stringify(note, undefined, 2)}\n`);
}

/** Undefined if there is none, or it cannot be read. */
export async function readImageNote(folder: string): Promise<ImageNote | undefined> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(path.join(folder, noteFile), "utf8")));
  } catch {
    return undefined;
  }
}
