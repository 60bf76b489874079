import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

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

export function renderSoftwareLock(lock: SoftwareLock): string {
  const sorted = Object.entries(lock).sort(([one], [other]) => (one < other ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`;
}
