import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { localFolder, projectRoot } from "../../toolchain/project.ts";
import { sourceHashes } from "./source-hashes.ts";

/** What was found last time; the bundler takes half a second to find it again. */
const memoFile = join(localFolder, "guest-sources.json");

type Hashes = Readonly<Record<string, string>>;

const memoSchema = z.object({
  /** Of what decides what an import of a package means. */
  lock: z.record(z.string(), z.string()),
  sources: z.record(z.string(), z.string()),
});

const lockFiles = ["package-lock.json"];

/**
 * Source files that go into the guest's program, with their hashes; relative to the project.
 *
 * Which files these are only depends on what they say, so nothing is bundled while none of them has changed.
 */
export async function guestSources(): Promise<Hashes> {
  const known = await readMemo();
  if (known !== undefined && (await isStill({ ...known.lock, ...known.sources }))) {
    return known.sources;
  }
  // Slow to load, and seldom needed.
  const { bundleGuestProgram } = await import("./guest-program.ts");
  const lock = await sourceHashes(projectRoot, lockFiles);
  const sources = await sourceHashes(projectRoot, await bundleGuestProgram());
  await mkdir(dirname(memoFile), { recursive: true });
  await writeFile(`${memoFile}.new`, JSON.stringify({ lock, sources }));
  await rename(`${memoFile}.new`, memoFile);
  return sources;
}

async function readMemo(): Promise<z.infer<typeof memoSchema> | undefined> {
  try {
    return memoSchema.parse(JSON.parse(await readFile(memoFile, "utf8")));
  } catch {
    return undefined;
  }
}

async function isStill(known: Hashes): Promise<boolean> {
  try {
    const now = await sourceHashes(projectRoot, Object.keys(known));
    return Object.entries(known).every(([file, hash]) => now[file] === hash);
  } catch {
    return false; // One of them is gone.
  }
}
