import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

import { writeWhole } from "../host/write-whole.ts";
import { withLock } from "./cache-lock.ts";
import { parseJson } from "./parse-json.ts";
import { projectRoot } from "./project.ts";

/** Name of the lock in the project's folder. It is committed, so that every clone installs the same files. */
export const softwareLockName = "software.lock.json";

export const softwareLockFile = path.join(projectRoot, softwareLockName);

const lockedFile = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits in lower case"),
  /** https URL of its source, or another kind of source: then `lock --update` asks the publisher. */
  takenFrom: z.union([
    z.string().startsWith("https://"),
    z.enum(["independent publications", "go.sum", "sum.golang.org"]),
  ]),
  takenOn: z.string().regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, "must be a day like 2026-11-21"),
});

const schema = z.record(z.string().startsWith("https://"), lockedFile);

/** Checksums by URL: the publisher's on first use. From then on a file with another checksum is refused. */
export type SoftwareLock = Readonly<z.infer<typeof schema>>;

export function readSoftwareLock(file: string): SoftwareLock {
  return existsSync(file) ? parseSoftwareLock(readFileSync(file, "utf8")) : {};
}

function parseSoftwareLock(text: string): SoftwareLock {
  const value = parseJson(text);
  if (value === undefined) {
    throw new Error(`${softwareLockName} is not JSON: restore it from version control`);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((each) => `${each.path.join(" ")}: ${each.message}`);
    throw new Error(
      `${softwareLockName} is invalid (${problems.join("; ")}): restore it from version control`,
    );
  }
  return parsed.data;
}

function renderSoftwareLock(lock: SoftwareLock): string {
  const sorted = Object.entries(lock).sort(([one], [other]) => (one < other ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`;
}

const lockSeconds = 30;

/** Adds a file to the lock; a publisher's entry replaces one from elsewhere. @throws if another checksum is locked. */
export async function addToLock(
  file: string,
  uri: string,
  entry: SoftwareLock[string],
): Promise<void> {
  const guard = path.join(path.dirname(file), ".kindows", "software-lock");
  await withLock(guard, lockSeconds, () => {
    const known = readSoftwareLock(file);
    const earlier = known[uri];
    if (earlier !== undefined && earlier.sha256 !== entry.sha256) {
      throw new Error(
        `${uri} is locked to the SHA-256 ${earlier.sha256} (from ${earlier.takenFrom}), not to ${entry.sha256} from ${entry.takenFrom}`,
      );
    }
    if (!earlier?.takenFrom.startsWith("https://")) {
      writeWhole(file, renderSoftwareLock({ ...known, [uri]: entry }));
    }
  });
}
