import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { HostProblem } from "../../config/host-problem.ts";
import { lines } from "../../host/host.ts";
import { MediaError, runMediaProgram } from "../disk/media-program.ts";

export interface DiscFile {
  /** With forward slashes and the disc's capitalization, e.g. `sources/install.wim`. */
  readonly path: string;
  readonly bytes: number;
}

export interface DiscListing {
  readonly path: string;
  readonly files: readonly DiscFile[];
}

const listTimeoutSeconds = 120;
const extractTimeoutSeconds = 300;

/** Accepted kinds of archives, with 7-Zip's types for each. 7-Zip would also open others, such as disks. */
const kinds = {
  iso: { name: "an ISO", types: ["Iso", "Udf"] },
  zip: { name: "a zip archive", types: ["zip"] },
  // A cabinet, or since Windows Server 2025 a WIM.
  msu: { name: "an update (.msu)", types: ["Cab", "wim"] },
};

type Kind = keyof typeof kinds;

/**
 * Lists the files of a disc image, or of an archive.
 *
 * Uses 7-Zip, because Microsoft's discs are UDF. xorriso, isoinfo and bsdtar see only the ISO 9660 part, which has
 * nothing but a readme about that, and mounting needs root. 7-Zip prefers UDF.
 *
 * @throws MediaError if the file is missing, unreadable or of another kind.
 */
export async function listDisc(path: string, kind: Kind = "iso"): Promise<DiscListing> {
  const { name, types } = kinds[kind];
  const obstacle = await obstacleToReading(path);
  if (obstacle !== undefined) throw bad(path, kind, obstacle);
  const args = ["l", "-slt", "-p", "--", path];
  const listing = await runMediaProgram("7z", args, listTimeoutSeconds);
  if (listing.how === "late") {
    throw bad(path, kind, `could not be listed within ${listTimeoutSeconds} s`);
  }
  const type = /^Type = (.*)$/m.exec(listing.stdout)?.[1];
  if (type === undefined) throw bad(path, kind, `is not ${name}`);
  if (!types.includes(type)) throw bad(path, kind, `is not ${name}: 7-Zip detects ${type}`);
  if (listing.how !== "well") {
    const problem = firstProblem(listing.stdout, listing.stderr);
    throw bad(path, kind, `is damaged or truncated: 7-Zip says ${problem}`);
  }
  return { path, files: parseFiles(listing.stdout) };
}

/** Why a file cannot be read, if so. 7-Zip would say that an unreadable file is not an archive. */
async function obstacleToReading(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return "is not a file";
    await (await open(path)).close();
    return undefined;
  } catch (error) {
    return readFailure(error);
  }
}

/**
 * Extracts files of a disc into a folder, below which they keep their paths.
 *
 * @throws MediaError if the disc is damaged.
 */
export async function extractFiles(
  disc: DiscListing,
  files: readonly DiscFile[],
  into: string,
): Promise<void> {
  const names = files.map(({ path }) => path);
  const args = ["x", "-y", "-bd", "-p", `-o${into}`, "--", disc.path, ...names];
  const run = await runMediaProgram("7z", args, extractTimeoutSeconds);
  const sizes = await Promise.all(
    files.map(async ({ path }) => (await stat(join(into, path)).catch(() => undefined))?.size),
  );
  if (run.how !== "well" || files.some(({ bytes }, index) => sizes[index] !== bytes)) {
    const problem = firstProblem(run.stdout, run.stderr);
    throw bad(disc.path, "iso", `could not be read completely: 7-Zip says ${problem}`);
  }
}

/** Finds a file by its path, ignoring case as Windows does. */
export function findFile(disc: DiscListing, path: string): DiscFile | undefined {
  const wanted = path.toLowerCase();
  return disc.files.find((file) => file.path.toLowerCase() === wanted);
}

function parseFiles(listing: string): DiscFile[] {
  const [, entries = ""] = listing.split(/^-{10}$/m);
  return entries.split(/\n\n+/).flatMap((entry) => {
    const path = /^Path = (.*)$/m.exec(entry)?.[1];
    const bytes = /^Size = ([0-9]+)$/m.exec(entry)?.[1];
    const folder = /^Folder = (.)$/m.exec(entry)?.[1];
    return path === undefined || bytes === undefined || folder === "+"
      ? []
      : [{ path: path.replaceAll("\\", "/"), bytes: Number(bytes) }];
  });
}

function bad(path: string, kind: Kind, why: string): MediaError {
  return new MediaError({
    subject: path,
    why,
    instead: `Write the path of ${kinds[kind].name} you may read, as it was downloaded.`,
  });
}

function firstProblem(...outputs: readonly string[]): string {
  // Problems follow "ERRORS:" or "WARNINGS:".
  const isProblem = (line: string): boolean =>
    /error|unexpected|warning/i.test(line) && !/^(errors|warnings):/i.test(line);
  return lines(outputs.join("\n")).find(isProblem) ?? "nothing";
}

/** The problem of a user's file that could not be read. */
export function unreadable(file: string, error: unknown): HostProblem {
  return {
    subject: file,
    why: readFailure(error),
    instead: "Write the path of a file you may read.",
  };
}

/** Why a file could not be opened or read, to follow its path. */
function readFailure(error: unknown): string {
  const { code = "unknown" } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? "does not exist" : `can't be read (${code})`;
}
