import { createHash } from "node:crypto";
import { statSync } from "node:fs";

/**
 * Identity of a user's disk that is used where it is, 12 digits from path, size and modification time, as hashing gigabytes
 * at each preview is too slow. Undefined if it does not exist.
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
