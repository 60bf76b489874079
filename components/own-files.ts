import path from "node:path";
import { fileURLToPath } from "node:url";
import { ownCache } from "../toolchain/own-cache.ts";

/**
 * Whether this code runs from the installed package @kindows/components, which is JavaScript, and not from a clone of
 * the project.
 */
export const isPackage = import.meta.url.endsWith(".js");

/**
 * Path of a folder below `components`, e.g. `windows/steps`. In a clone it is relative to the project, where the
 * program runs, so that the state is the same in every clone.
 */
export function ownFolder(name: string): string {
  return isPackage
    ? path.join(path.dirname(fileURLToPath(import.meta.url)), name)
    : path.posix.join("components", name);
}

/**
 * A folder on this host for files that are kept between runs: in the project or, for the package, in the user's cache.
 */
export function keptFolder(name: string): string {
  return isPackage ? path.join(ownCache(), name) : path.posix.join(".kindows", name);
}
