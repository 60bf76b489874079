import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { writeWhole } from "../host/write-whole.ts";
import type { Cache } from "./cache.ts";
import { sha256OfFile } from "./cache-marker.ts";
import { readJson } from "./parse-json.ts";
import { isReadOnly } from "./read-only.ts";

const noteSchema = z.object({
  size: z.number(),
  mtimeMs: z.number(),
  ino: z.number(),
  sha256: z.string(),
});

/** SHA-256 of a large file of the user. Recorded in the cache: recomputed only if size, time or inode change. */
export async function digestOfFile(file: string, cache: Cache): Promise<string> {
  const { size, mtimeMs, ino } = await stat(file);
  const name = createHash("sha256").update(file).digest("hex").slice(0, 16);
  const noteFile = path.join(cache.root, "digests", `${name}.json`);
  const note = await readJson(noteFile, noteSchema);
  if (note?.size === size && note.mtimeMs === mtimeMs && note.ino === ino) return note.sha256;
  const sha256 = await sha256OfFile(file);
  try {
    writeWhole(noteFile, JSON.stringify({ size, mtimeMs, ino, sha256 }));
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
  return sha256;
}
