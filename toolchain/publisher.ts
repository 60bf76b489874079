import path from "node:path";
import type { BuildContext, Progress } from "./artifact.ts";
import { curl, download, DownloadError, downloadText, WrongContentError } from "./download.ts";
import { parseJson } from "./parse-json.ts";
import { isReadOnly } from "./read-only.ts";
import {
  addToLock,
  readSoftwareLock,
  softwareLockFile,
  softwareLockName,
} from "./software-lock.ts";
import * as z from "zod";

export interface PublishedFile {
  /** https URL, whose last part is the file's name. */
  readonly url: string;
  /** https URL of the publisher's checksum. Default: only a locked checksum counts. */
  readonly checksumUrl?: string;
}

/** @param checksums name of the release's checksum file. Default: GitHub's own SHA-256, for uploads since June 2025. */
export function githubFile(
  repository: string,
  version: string,
  file: string,
  checksums?: string,
): PublishedFile {
  const release = `https://github.com/${repository}/releases/download/v${version}`;
  const releaseApi = `https://api.github.com/repos/${repository}/releases/tags/v${version}`;
  return {
    url: `${release}/${file}`,
    checksumUrl: checksums === undefined ? releaseApi : `${release}/${checksums}`,
  };
}

/** Longest wait for a connection to a publisher, and for its first answer, in seconds. */
const reachLimits = { connectSeconds: 5, wholeSeconds: 10 };

const checkedOrigins = new Map<string, Promise<string | undefined>>();

/** Undefined if the server answers. Checked once per run, so that hosts without internet do not wait for each file. */
export function whyUnreachable(url: string): Promise<string | undefined> {
  const { origin } = new URL(url);
  const answer = checkedOrigins.get(origin) ?? checkOrigin(origin);
  checkedOrigins.set(origin, answer);
  return answer;
}

async function checkOrigin(origin: string): Promise<string | undefined> {
  const { failed, why } = await curl(["--head", "--output", "/dev/null", origin], reachLimits);
  if (!failed) return undefined;
  if (why === "curl is missing") {
    // It may be installed later in this run.
    checkedOrigins.delete(origin);
    return why;
  }
  return `${new URL(origin).host} can't be reached (${why})`;
}

/** Environment variable that makes every file need a locked checksum, if it is 1. `--locked` sets it. */
const lockedVariable = "KINDOWS_LOCKED";

/** @throws DownloadError if a file without a locked checksum may not be used: another source may work. */
export function requireTrust(url: string): void {
  if (process.env[lockedVariable] !== "1") return;
  throw new DownloadError(
    `no checksum of ${url} is in ${softwareLockName}, and others do not count (--locked, ${lockedVariable}): ` +
      "lock its publisher's with `kindows lock --update`, and compare it with another source",
  );
}

export async function publishersChecksum({ url, checksumUrl }: PublishedFile): Promise<string> {
  if (checksumUrl === undefined) {
    throw new DownloadError(`no checksum is known for ${url}, and its publisher gives none`);
  }
  try {
    return publishedChecksum(await downloadText(checksumUrl), path.posix.basename(url));
  } catch (error) {
    throw new DownloadError(
      `its publisher's checksum ${checksumUrl} can't be downloaded: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** Adds a checksum to the lock, with a message. If the lock is read-only, the next run asks the publisher again. */
export async function lockChecksum(
  { url, checksumUrl = "" }: PublishedFile,
  sha256: string,
  say: Progress,
  lockFile: string = softwareLockFile,
): Promise<void> {
  const takenOn = new Date().toISOString().slice(0, 10);
  const what = `${path.posix.basename(url)}: trusted on first use: SHA-256 ${sha256} from ${checksumUrl}`;
  try {
    await addToLock(lockFile, url, { sha256, takenFrom: checksumUrl, takenOn });
    say(`${what}, written to ${softwareLockName}`);
  } catch (error) {
    if (!isReadOnly(error)) throw error;
    say(`${what}; ${lockFile} can't be written to`);
  }
}

/**
 * Downloads a file. It must have the locked SHA-256 or, if none is locked, the publisher's, which is then locked.
 *
 * @throws DownloadError if it cannot be downloaded, or there is no checksum.
 * @throws WrongContentError if the checksum does not match.
 */
export async function fetchPublished(
  file: PublishedFile,
  into: string,
  context: Pick<BuildContext, "progress" | "downloads">,
  lockFile: string = softwareLockFile,
): Promise<void> {
  const unreachable = await whyUnreachable(file.url);
  if (unreachable !== undefined) throw new DownloadError(unreachable);
  const locked = readSoftwareLock(lockFile)[file.url]?.sha256;
  if (locked === undefined) requireTrust(file.url);
  const sha256 = locked ?? (await publishersChecksum(file));
  try {
    await download({ url: file.url, sha256 }, into, context);
  } catch (error) {
    if (error instanceof WrongContentError) {
      const from = locked === undefined ? file.checksumUrl : softwareLockName;
      throw new WrongContentError(`${error.message}. The pinned one is from ${from}`);
    }
    throw error;
  }
  if (locked === undefined) await lockChecksum(file, sha256, context.progress, lockFile);
}

/** A release on GitHub, with each file's checksum since 2025 (REST API, "Get a release by tag name"). */
const release = z.object({
  assets: z.array(z.object({ name: z.string(), digest: z.string().nullish() })),
});

/**
 * Finds a file's SHA-256 in a checksum file (a bare checksum, or the format of `sha256sum`) or in a release from
 * GitHub's API.
 *
 * @throws if there is none.
 */
export function publishedChecksum(text: string, fileName: string): string {
  const found = text.trimStart().startsWith("{")
    ? inRelease(text, fileName)
    : inChecksumFile(text, fileName);
  if (found === undefined) throw new Error(`it has no SHA-256 of ${fileName}`);
  return found.toLowerCase();
}

function inChecksumFile(text: string, fileName: string): string | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const [only = ""] = lines;
  if (lines.length === 1 && /^[0-9a-fA-F]{64}$/.test(only.trim())) return only.trim();
  for (const line of lines) {
    const [, sha256, name] = /^([0-9a-fA-F]{64}) [ *](.+)$/.exec(line) ?? [];
    if (sha256 !== undefined && name?.trim().split("/").at(-1) === fileName) return sha256;
  }
  return undefined;
}

function inRelease(text: string, fileName: string): string | undefined {
  const parsed = release.safeParse(parseJson(text));
  const asset = parsed.data?.assets.find(({ name }) => name === fileName);
  return /^sha256:([0-9a-fA-F]{64})$/.exec(asset?.digest ?? "")?.[1];
}
