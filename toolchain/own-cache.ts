import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { Failure } from "../host/failure.ts";
import { isOfOthers, isOpenToOthers } from "./other-users.ts";

/** `KINDOWS_CACHE`, else `kindows` in `XDG_CACHE_HOME`, else in `~/.cache`. @throws if the variable is a relative path. */
export function cacheRoot(environment: NodeJS.ProcessEnv = process.env): string {
  const own = environment.KINDOWS_CACHE;
  if (own) {
    if (!path.isAbsolute(own)) throw new Error(`KINDOWS_CACHE is "${own}": give an absolute path`);
    return own;
  }
  // The XDG specification says to ignore a relative path.
  const xdg = environment.XDG_CACHE_HOME;
  const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(os.homedir(), ".cache");
  return path.join(base, "kindows");
}

export function isInCache(file: string): boolean {
  return !path.relative(cacheRoot(), file).startsWith("..");
}

/** File by which a folder is known as a cache. It is made in an empty folder only; see also node/cache.sh. */
const cacheMark = ".kindows-cache";

/**
 * The cache's folder, for whoever writes or removes something there. Marks it as a cache if it is missing or empty.
 *
 * @throws if it holds something else, which nothing may be put among, and above all not be removed from.
 */
export function ownCache(root: string = cacheRoot()): string {
  const found = namesIn(root);
  if (found.includes(cacheMark)) return root;
  if (found.length > 0) {
    throw new Failure(
      `${root} (KINDOWS_CACHE) is no cache of kindows: it has ${found.slice(0, 3).join(", ")} in it. Set KINDOWS_CACHE to a ` +
        `folder that is empty or does not exist; or, if this is a cache of an earlier version: touch '${path.join(root, cacheMark)}'`,
    );
  }
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, cacheMark), "");
  return root;
}

/** Folder with an empty file for each image that was loaded from the cache into Docker, named by its reference. */
export function loadedFolder(root: string): string {
  return path.join(root, "loaded");
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/**
 * Programs in the cache are run, and what is recorded about them is beside them. So nobody else may write there, or
 * replace a folder above it.
 *
 * @throws if another user may write to the cache. A cache that does not exist is nobody's yet.
 */
export function assertOnlyOurs(root: string): void {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found !== undefined) {
      const isSticky = folder !== root && (found.mode & 0o1000) !== 0;
      const isOpen = !isSticky && isOpenToOthers(found);
      if (isOpen || isOfOthers(found)) {
        const who = isOpen ? "other users may write" : `the user ${found.uid} may write`;
        throw new Failure(
          `the cache ${root} (KINDOWS_CACHE) has programs that are run, and ${who} to ${folder}: ` +
            "set KINDOWS_CACHE to a folder that only you can write to",
        );
      }
    }
    if (path.dirname(folder) === folder) return;
  }
}
