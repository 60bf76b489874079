import { createHash } from "node:crypto";
import { statSync } from "node:fs";

/**
 * What tells a disk of the user's apart that is used in its place, 12 digits: place, size and time of change. Hashing
 * gigabytes at each preview is too slow. Undefined where there is none.
 */
export function diskIdentity(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined
    ? undefined
    : createHash("sha256")
        .update([path, found.size, found.mtimeMs].join("\n"))
        .digest("hex")
        .slice(0, 12);
}
