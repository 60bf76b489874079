import path from "node:path";
import { fileURLToPath } from "node:url";
import { cacheRoot } from "../toolchain/cache.ts";

/** Whether this is the package @kindows/components, installed beside a program, and no clone of the project: there it is JavaScript. */
export const isPackage = import.meta.url.endsWith(".js");

/**
 * A folder of ours: `windows/steps` is `components/windows/steps`. In a clone it is relative to the project, where its
 * program runs, so that the state is the same in every clone of it.
 */
export function ownFolder(name: string): string {
  return isPackage
    ? path.join(path.dirname(fileURLToPath(import.meta.url)), name)
    : path.posix.join("components", name);
}

/** A folder on this host for what is kept from run to run: of a clone, in the project; of the package, in the user's cache. */
export function keptFolder(name: string): string {
  return isPackage ? path.join(cacheRoot(), name) : path.posix.join(".kindows", name);
}
