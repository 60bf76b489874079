import { existsSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";

/**
 * A hash of what git has or would take, as it lies in the folder: results hold across commits that change nothing, and
 * fall with an edit that is not committed. Documents change no result.
 */
export async function sourcesOf(folder: string): Promise<string> {
  const listed = await git(folder, "ls-files", "--cached", "--others", "--exclude-standard", "-z");
  const files = listed.split("\0").filter((file) => file !== "" && !file.endsWith(".md"));
  const there = files.map((file) => path.join(folder, file)).filter((file) => existsSync(file));
  return hashSources(folder, there);
}

/** For people: the commit, and whether files differ from it. */
export function commitOf(folder: string): Promise<string> {
  return git(folder, "describe", "--always", "--dirty", "--exclude", "*");
}

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return (await execa("git", args, { cwd: folder })).stdout;
}
