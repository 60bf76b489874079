import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const hashLength = 12;

/**
 * Hash of the names and bytes of a folder's files. Times, modes and the order on disk are not included, because they
 * differ between clones.
 */
export function folderHash(folder: string): string {
  return filesHash(
    new Map(filesBelow(folder).map((name) => [name, readFileSync(path.join(folder, name))])),
  );
}

/** Hash of files, given by their path below a folder. */
export function filesHash(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash("sha256");
  for (const [name, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex").slice(0, hashLength);
}

/** Names of all files below a folder, with forward slashes. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .map((name) => name.split(path.sep).join("/"));
}
