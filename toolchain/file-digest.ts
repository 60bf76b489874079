import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { writeWhole } from "../host/write-whole.ts";
import type { Cache } from "./cache.ts";
import { sha256OfFile } from "./cache-marker.ts";
import { ownCache } from "./own-cache.ts";
import { readJson } from "./parse-json.ts";
import { isReadOnly } from "./read-only.ts";

const stateSchema = z.object({ size: z.number(), mtimeMs: z.number(), ino: z.number() });

/**
 * What is known of a large file of the user. Recorded in the cache: found out again only if the file's size, time or
 * inode change.
 *
 * @param kind distinguishes what is known of the same file.
 */
export async function noteOfFile<T>(
  file: string,
  cache: Cache,
  kind: string,
  schema: z.ZodType<T>,
  find: () => Promise<T>,
): Promise<T> {
  const { size, mtimeMs, ino } = await stat(file);
  const name = createHash("sha256").update(file).digest("hex").slice(0, 16);
  const noteFile = path.join(cache.root, kind, `${name}.json`);
  const note = await readJson(noteFile, stateSchema.extend({ found: schema }));
  if (note?.size === size && note.mtimeMs === mtimeMs && note.ino === ino) return note.found;
  const found = await find();
  try {
    ownCache(cache.root);
    writeWhole(noteFile, JSON.stringify({ size, mtimeMs, ino, found }));
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
  return found;
}

/** SHA-256 of a large file of the user, recorded in the cache. */
export function digestOfFile(file: string, cache: Cache): Promise<string> {
  return noteOfFile(file, cache, "digests", z.string(), () => sha256OfFile(file));
}
