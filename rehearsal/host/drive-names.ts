import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { isMissing } from "./file-errors.ts";
import { AccessDeniedError } from "./windows-path.ts";

/**
 * Linux path of a file on a drive that is kept in a folder: names are found without regard to case, and what does not
 * exist yet keeps the case asked for.
 *
 * Asks the file system without giving others their turn: on an emulated CPU a look by way of Node.js' threads takes
 * twenty times as long, and every file that is copied to the machine needs a dozen.
 *
 * @param root the folder, without links in its own path.
 * @throws AccessDeniedError where a link leads out of it.
 */
export function findOnDrive(root: string, names: readonly string[]): string {
  let current = root;
  let exists = true;
  for (const name of names) {
    const found = exists ? findName(current, name) : undefined;
    if (found === undefined) {
      exists = false;
      current = join(current, name);
      continue;
    }
    current = insideOf(root, found);
  }
  return current;
}

interface Found {
  readonly path: string;
  readonly isLink: boolean;
}

function findName(folder: string, name: string): Found | undefined {
  const exact = look(join(folder, name));
  if (exact) return exact;
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const wanted = name.toLowerCase();
  const entry = readdirSync(folder).find((each) => each.toLowerCase() === wanted);
  return entry === undefined ? undefined : look(join(folder, entry));
}

function look(path: string): Found | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && { path, isLink: stats.isSymbolicLink() };
  } catch (error) {
    // Below a file.
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function insideOf(root: string, { path, isLink }: Found): string {
  if (!isLink) return path;
  const target = realpathSync(path);
  if (target !== root && !target.startsWith(root + sep)) {
    throw new AccessDeniedError();
  }
  return target;
}
