import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { HostProblem } from "../../../config/host-problem.ts";
import { MediaError, runMediaProgram } from "../../machine/disk/media-program.ts";

/** A file on a disc image. */
export interface DiscFile {
  /** With forward slashes, as the disc spells it, e.g. `sources/install.wim`. */
  readonly path: string;
  readonly bytes: number;
}

/** Content of a disc image. */
export interface DiscListing {
  /** Of the image itself. */
  readonly path: string;
  readonly files: readonly DiscFile[];
}

/** A listing reads a few megabytes at most. */
const listTimeoutSeconds = 120;
/** Drivers are some megabytes. */
const extractTimeoutSeconds = 300;

/** A kind of archive. */
interface Kind {
  readonly name: string;
  /** 7-Zip's names of this kind; it can open others too, such as disks and WIM files. */
  readonly types: readonly string[];
}

const iso: Kind = { name: "an ISO", types: ["Iso", "Udf"] };
const zip: Kind = { name: "a zip archive", types: ["zip"] };
// A cabinet; since Windows Server 2025 also a WIM.
const msu: Kind = { name: "an update (.msu)", types: ["Cab", "wim"] };

/**
 * Lists the files of a disc image.
 *
 * Uses 7-Zip, as Microsoft's discs are UDF: xorriso, isoinfo and bsdtar see only their ISO 9660 part, which has just a readme
 * that says so, and a mount needs root. 7-Zip prefers UDF.
 *
 * @throws MediaError if it is missing, unreadable or not a disc image.
 */
export function listDisc(path: string): Promise<DiscListing> {
  return list(path, iso);
}

/**
 * Lists the files of a zip archive.
 *
 * @throws MediaError if it is missing, unreadable or not a zip archive.
 */
export function listZip(path: string): Promise<DiscListing> {
  return list(path, zip);
}

/**
 * Lists the files of an update of Microsoft's.
 *
 * @throws MediaError if it is missing, unreadable or neither a cabinet nor a WIM.
 */
export function listUpdate(path: string): Promise<DiscListing> {
  return list(path, msu);
}

async function list(path: string, kind: Kind): Promise<DiscListing> {
  const obstacle = await obstacleToReading(path);
  if (obstacle !== undefined) {
    throw bad(path, kind, obstacle);
  }
  const args = ["l", "-slt", "-p", "--", path];
  const listing = await runMediaProgram("7z", args, listTimeoutSeconds);
  if (listing.how === "late") {
    throw bad(path, kind, `could not be listed within ${listTimeoutSeconds} s`);
  }
  const type = /^Type = (.*)$/m.exec(listing.stdout)?.[1];
  if (type === undefined) {
    throw bad(path, kind, `is not ${kind.name}`);
  }
  if (!kind.types.includes(type)) {
    throw bad(path, kind, `is not ${kind.name}: 7-Zip takes it for ${type}`);
  }
  if (listing.how !== "well") {
    throw bad(
      path,
      kind,
      `is damaged or cut off: 7-Zip says ${firstComplaint(listing.stdout, listing.stderr)}`,
    );
  }
  return { path, files: parseFiles(listing.stdout) };
}

/** Checked before running 7-Zip, which reports an unreadable file as no archive. */
async function obstacleToReading(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) {
      return "is not a file";
    }
    await (await open(path)).close();
    return undefined;
  } catch (error) {
    return readFailure(error);
  }
}

/**
 * Extracts files of a disc into a folder, with their paths on the disc.
 *
 * @throws MediaError if one cannot be read: the disc is damaged.
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
  if (run.how !== "well" || files.some(({ bytes }, place) => sizes[place] !== bytes)) {
    const words = firstComplaint(run.stdout, run.stderr);
    throw bad(disc.path, iso, `could not be read whole: 7-Zip says ${words}`);
  }
}

/** The file with that path; like Windows, ignores case. */
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
  const problem: HostProblem = {
    subject: path,
    why,
    instead: `Write the path of ${kind.name} you may read, as it was downloaded.`,
  };
  return new MediaError([problem]);
}

function firstComplaint(...outputs: readonly string[]): string {
  // Problems follow "ERRORS:" or "WARNINGS:".
  const lines = outputs
    .join("\n")
    .split("\n")
    .filter((line) => !/^(errors|warnings):/i.test(line));
  return (lines.find((line) => /error|unexpected|warning/i.test(line)) ?? "nothing").trim();
}

/** Why a file could not be opened or read, to follow its path. */
export function readFailure(error: unknown): string {
  const { code = "unknown" } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? "does not exist" : `can't be read (${code})`;
}
