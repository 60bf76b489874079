import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { writeWhole } from "../host/write-whole.ts";
import { isOfOthers, isOpenToOthers } from "./other-users.ts";
import { readJson } from "./parse-json.ts";

/** File in every entry of the cache; written last, so an entry without it is incomplete. */
export const markerName = ".kindows-complete.json";

const recordSchema = z.union([
  z.object({ link: z.string() }),
  z.object({ size: z.number(), mode: z.number(), mtimeMs: z.number(), sha256: z.string() }),
]);

const markerSchema = z.object({
  name: z.string(),
  seconds: z.number(),
  /** Every file and symbolic link by its path below the entry. */
  files: z.record(z.string(), recordSchema),
});

type Marker = z.infer<typeof markerSchema>;

export async function writeMarker(folder: string, name: string, seconds: number): Promise<void> {
  const files: Marker["files"] = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const relative = path.relative(folder, file);
    if (entry.isSymbolicLink()) {
      files[relative] = { link: await readlink(file) };
    } else if (entry.isFile()) {
      const { size, mode, mtimeMs } = await lstat(file);
      files[relative] = { size, mode, mtimeMs, sha256: await sha256OfFile(file) };
    }
  }
  if (Object.keys(files).length === 0) throw new Error(`the build of ${name} made no file`);
  replaceMarker(folder, { name, seconds, files });
}

/**
 * Only a file whose time has changed is read again; if its content is the recorded one, its new time is recorded. Whoever
 * may write there could have written the record as well, so what another user may write to is damaged.
 */
export async function findDamage(folder: string): Promise<string | undefined> {
  const marker = await readMarker(folder);
  if (marker === undefined) return `${markerName} is missing or unreadable`;
  const folders = new Set([".", ...Object.keys(marker.files).flatMap(foldersAbove)]);
  for (const relative of [...folders, markerName]) {
    // Of what it leads to: an entry may be a link to another disk, and the mode of a link says nothing.
    const found = await stat(path.join(folder, relative)).catch(() => undefined);
    if (found === undefined) return `${relative} is missing`;
    if (isOpenToOthers(found) || isOfOthers(found)) return writable(relative);
  }
  const touched: Marker["files"] = {};
  for (const [relative, recorded] of Object.entries(marker.files)) {
    const file = path.join(folder, relative);
    if ("link" in recorded) {
      const target = await readlink(file).catch(() => undefined);
      if (target !== recorded.link) return `${relative} is not the link it was`;
      continue;
    }
    const found = await lstat(file).catch(() => undefined);
    if (found === undefined) return `${relative} is missing`;
    if (!found.isFile() || found.size !== recorded.size || found.mode !== recorded.mode) {
      return `${relative} has another size or mode than when it was built`;
    }
    if (isOpenToOthers(found) || isOfOthers(found)) return writable(relative);
    if (found.mtimeMs !== recorded.mtimeMs) {
      if ((await sha256OfFile(file)) !== recorded.sha256) {
        return `${relative} has another content than when it was built`;
      }
      touched[relative] = { ...recorded, mtimeMs: found.mtimeMs };
    }
  }
  if (Object.keys(touched).length > 0) {
    replaceMarker(folder, { ...marker, files: { ...marker.files, ...touched } });
  }
  return undefined;
}

function writable(relative: string): string {
  return `another user may write to ${relative === "." ? "it" : relative}`;
}

function foldersAbove(file: string): string[] {
  const above = path.dirname(file);
  return above === "." ? [] : [above, ...foldersAbove(above)];
}

export function readMarker(folder: string): Promise<Marker | undefined> {
  return readJson(path.join(folder, markerName), markerSchema);
}

/** The recorded SHA-256 of a file of a complete entry. @throws if the entry has no such file. */
export async function recordedSha256(folder: string, file: string): Promise<string> {
  const recorded = (await readMarker(folder))?.files[file];
  if (recorded === undefined || "link" in recorded) {
    throw new Error(`${folder} has no record of ${file}: run \`./kindows prepare\``);
  }
  return recorded.sha256;
}

export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

function replaceMarker(folder: string, marker: Marker): void {
  writeWhole(path.join(folder, markerName), JSON.stringify(marker));
}
