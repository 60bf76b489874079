import { mkdir, readFile, readdir } from "node:fs/promises";
import path from "node:path";

/**
 * Creates the folder for a run's log and results, unless it exists.
 *
 * @throws if it has results of an earlier run, which would be counted as this one's.
 */
export async function makeResultsFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [earlier] = await resultNames(folder);
  if (earlier !== undefined) {
    throw new Error(
      `--output ${folder} has results of an earlier run (${earlier}): name another folder, or remove them`,
    );
  }
}

/** What JUnit's files in a folder say, in the order of their names. */
export async function readResults(folder: string): Promise<readonly string[]> {
  const names = await resultNames(folder);
  return Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
}

async function resultNames(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => /^junit.*\.xml$/.test(name)).sort();
}
