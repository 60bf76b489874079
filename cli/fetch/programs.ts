import { stat } from "node:fs/promises";
import path from "node:path";

import { downloadArtifact } from "../../components/windows/download-artifact.ts";
import { fileNameOf } from "../../components/windows/media-folder.ts";
import type { HostOrigin, ProgramArtifact } from "../../components/windows/software.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import { artifactAddress, type Cache } from "../../toolchain/cache.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { lockChecksum, publishersChecksum } from "../../toolchain/publisher.ts";
import { messageOf } from "../../host/failure.ts";
import { transferText } from "../../toolchain/progress-text.ts";
import { table } from "../table.ts";

/** A program that is pushed to machines, and its origin. */
export type HostArtifact = ProgramArtifact & { readonly origin: HostOrigin };

/** A file that is fetched into the cache, to be pushed to machines or for an image. */
export interface FetchedFile extends Pick<ProgramArtifact, "uri" | "sha256"> {
  /** URL of its publisher's checksum; undefined if only the pinned one is accepted. */
  readonly origin: Partial<Pick<HostOrigin, "checksumUri">>;
  readonly bytes?: number | undefined;
}

type LookedForFile = Pick<ProgramArtifact, "uri" | "sha256">;

/** A program for Windows nodes, as far as this host has it. */
export interface ProgramState {
  readonly fileName: string;
  readonly sha256: string | undefined;
  readonly state: "there" | "fetched" | "missing";
  /** Bytes of the file, or of an incomplete download. */
  readonly bytes: number;
  /** Folder named by the SHA-256 that holds the file; undefined while it is missing. */
  readonly folder: string | undefined;
  readonly problem?: string;
}

export interface FetchOptions {
  readonly cache: Cache;
  readonly say: Progress;
  readonly lockFile?: string;
  readonly ensurePackages?: (names: readonly string[]) => Promise<void>;
}

const notPinned = "no checksum is known, and nothing is installed without one";

/** Looks for programs in the cache only. */
export function findPrograms(
  files: readonly LookedForFile[],
  cache: Cache,
): Promise<ProgramState[]> {
  return Promise.all(
    files.map(async (file) => {
      const { sha256 } = file;
      if (sha256 === undefined) return missing(file, undefined, notPinned);
      return (
        (await inCache(file, sha256, cache)) ??
        missing(file, sha256, "not in the cache", await partSize(sha256, cache))
      );
    }),
  );
}

/**
 * Downloads programs into the cache, one after the other, even if some fail. If no checksum is known, the publisher's is
 * trusted and locked.
 */
export async function fetchPrograms(
  files: readonly FetchedFile[],
  options: FetchOptions,
): Promise<ProgramState[]> {
  const states: ProgramState[] = [];
  for (const file of files) {
    states.push(await fetchProgram(file, options));
  }
  return states;
}

async function fetchProgram(file: FetchedFile, options: FetchOptions): Promise<ProgramState> {
  const { cache, say, lockFile, ensurePackages } = options;
  const { checksumUri: checksumUrl } = file.origin;
  const published = { url: file.uri, checksumUrl };
  let { sha256 } = file;
  try {
    if (sha256 === undefined) {
      await ensurePackages?.(["curl"]);
      sha256 = await publishersChecksum(published);
    }
    const state = (await inCache(file, sha256, cache)) ?? (await download(file, sha256, options));
    if (file.sha256 === undefined) {
      // Only after the file was downloaded and matched the publisher's checksum.
      await lockChecksum(published, sha256, say, lockFile);
    }
    return state;
  } catch (error) {
    const bytes = sha256 === undefined ? 0 : await partSize(sha256, cache);
    return missing(file, sha256, messageOf(error), bytes);
  }
}

async function download(
  file: FetchedFile,
  sha256: string,
  { cache, say, ensurePackages }: FetchOptions,
): Promise<ProgramState> {
  const artifact = artifactOf(file, sha256);
  const ensured = await ensureArtifacts([artifact], { cache, progress: say, ensurePackages });
  return found(file, sha256, "fetched", ensured.path(artifact));
}

async function inCache(
  file: LookedForFile,
  sha256: string,
  cache: Cache,
): Promise<ProgramState | undefined> {
  const address = await artifactAddress(artifactOf(file, sha256));
  if ((await cache.state(address)).kind !== "complete") return undefined;
  await cache.markUsed(address);
  return found(file, sha256, "there", cache.entryFolder(address));
}

function artifactOf(file: LookedForFile, sha256: string): ReturnType<typeof downloadArtifact> {
  return downloadArtifact({ uri: file.uri, sha256, fileName: fileNameOf(file) });
}

async function found(
  file: LookedForFile,
  sha256: string,
  state: "there" | "fetched",
  entry: string,
): Promise<ProgramState> {
  const fileName = fileNameOf(file);
  const folder = path.join(entry, sha256);
  const { size } = await stat(path.join(folder, fileName));
  return { fileName, sha256, state, bytes: size, folder };
}

function missing(
  file: LookedForFile,
  sha256: string | undefined,
  problem: string,
  bytes = 0,
): ProgramState {
  const fileName = fileNameOf(file);
  return { fileName, sha256, state: "missing", bytes, folder: undefined, problem };
}

async function partSize(sha256: string, cache: Cache): Promise<number> {
  const part = path.join(cache.downloadsFolder, `${sha256}.part`);
  return (await stat(part).catch(() => undefined))?.size ?? 0;
}

/** A table of programs, followed by why some are missing. */
export function programsText(states: readonly ProgramState[]): string {
  const rows = states.map(({ fileName, state, bytes, sha256 }) => [
    fileName,
    state,
    sizeText(state, bytes),
    sha256 ?? "unknown",
  ]);
  const problems = states.flatMap(({ fileName, problem }) =>
    problem === undefined ? [] : [`${fileName}: ${problem}`],
  );
  return [table(["PROGRAM", "STATE", "SIZE", "SHA-256"], rows), ...problems].join("\n");
}

function sizeText(state: ProgramState["state"], bytes: number): string {
  if (state !== "missing") return transferText(bytes);
  return bytes === 0 ? "-" : `${transferText(bytes)} of it`;
}
