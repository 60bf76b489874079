import { stat } from "node:fs/promises";
import path from "node:path";

import { mediumArtifact } from "../../components/windows/medium-artifact.ts";
import { fileNameOf } from "../../components/windows/media-folder.ts";
import type { HostOrigin, Medium } from "../../components/windows/software.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import { artifactAddress, type Cache } from "../../toolchain/cache.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { lockChecksum, publishersChecksum } from "../../toolchain/publisher.ts";
import { messageOf } from "../../host/failure.ts";
import { transferText } from "../../toolchain/transfer-text.ts";
import { table } from "../table.ts";

/** What is pushed to machines, with where it comes from. */
export type HostMedium = Medium & { readonly origin: HostOrigin };

/** A file that is fetched into the cache, to be pushed to machines or for an image. */
export interface FetchedFile extends Pick<Medium, "uri" | "sha256"> {
  /** Where its publisher gives its checksum; undefined where none is taken but the pinned one. */
  readonly origin: Partial<Pick<HostOrigin, "checksumUri">>;
  /** Its size, where it is known before. */
  readonly bytes?: number | undefined;
}

type LookedForFile = Pick<Medium, "uri" | "sha256">;

/** A program for Windows nodes, as far as this host has it. */
export interface ProgramState {
  readonly fileName: string;
  readonly sha256: string | undefined;
  readonly state: "there" | "fetched" | "missing";
  /** Bytes of the file, or of the part that came before a download was cut off. */
  readonly bytes: number;
  /** Folder named by the SHA-256 that holds the file; undefined while it is missing. */
  readonly folder: string | undefined;
  /** Why it is missing. */
  readonly problem?: string;
}

export interface FetchOptions {
  readonly cache: Cache;
  readonly say: Progress;
  /** The lock's file. Default: this clone's. */
  readonly lockFile?: string;
  readonly ensurePackages?: (names: readonly string[]) => Promise<void>;
}

const notPinned = "no checksum is known, and nothing is installed without one";

/** Looks for programs in the cache; asks nobody else. */
export function findPrograms(
  media: readonly LookedForFile[],
  cache: Cache,
): Promise<ProgramState[]> {
  return Promise.all(
    media.map(async (medium) => {
      const { sha256 } = medium;
      if (sha256 === undefined) {
        return missing(medium, undefined, notPinned);
      }
      return (
        (await inCache(medium, sha256, cache)) ??
        missing(medium, sha256, "not in the cache", await partSize(sha256, cache))
      );
    }),
  );
}

/**
 * Sees to it that programs are in the cache, one after the other; what fails does not keep the others from coming. Where
 * no checksum is known, the one that the publisher gives is trusted, and locked.
 */
export async function fetchPrograms(
  media: readonly FetchedFile[],
  options: FetchOptions,
): Promise<ProgramState[]> {
  const states: ProgramState[] = [];
  for (const medium of media) {
    states.push(await fetchProgram(medium, options));
  }
  return states;
}

async function fetchProgram(medium: FetchedFile, options: FetchOptions): Promise<ProgramState> {
  const { cache, say, lockFile, ensurePackages } = options;
  const { checksumUri: checksumUrl } = medium.origin;
  const published = { url: medium.uri, checksumUrl };
  let { sha256 } = medium;
  try {
    if (sha256 === undefined) {
      await ensurePackages?.(["curl"]);
      sha256 = await publishersChecksum(published);
    }
    const state =
      (await inCache(medium, sha256, cache)) ?? (await download(medium, sha256, options));
    if (medium.sha256 === undefined) {
      // Only after the file came, and was what its publisher says.
      await lockChecksum(published, sha256, say, lockFile);
    }
    return state;
  } catch (error) {
    const bytes = sha256 === undefined ? 0 : await partSize(sha256, cache);
    return missing(medium, sha256, messageOf(error), bytes);
  }
}

async function download(
  medium: FetchedFile,
  sha256: string,
  { cache, say, ensurePackages }: FetchOptions,
): Promise<ProgramState> {
  const artifact = artifactOf(medium, sha256);
  const ensured = await ensureArtifacts([artifact], { cache, progress: say, ensurePackages });
  return found(medium, sha256, "fetched", ensured.path(artifact));
}

async function inCache(
  medium: LookedForFile,
  sha256: string,
  cache: Cache,
): Promise<ProgramState | undefined> {
  const address = await artifactAddress(artifactOf(medium, sha256));
  if ((await cache.state(address)).kind !== "complete") {
    return undefined;
  }
  await cache.markUsed(address);
  return found(medium, sha256, "there", cache.entryFolder(address));
}

function artifactOf(medium: LookedForFile, sha256: string): ReturnType<typeof mediumArtifact> {
  return mediumArtifact({ uri: medium.uri, sha256, fileName: fileNameOf(medium) });
}

async function found(
  medium: LookedForFile,
  sha256: string,
  state: "there" | "fetched",
  entry: string,
): Promise<ProgramState> {
  const fileName = fileNameOf(medium);
  const folder = path.join(entry, sha256);
  const { size } = await stat(path.join(folder, fileName));
  return { fileName, sha256, state, bytes: size, folder };
}

function missing(
  medium: LookedForFile,
  sha256: string | undefined,
  problem: string,
  bytes = 0,
): ProgramState {
  const fileName = fileNameOf(medium);
  return { fileName, sha256, state: "missing", bytes, folder: undefined, problem };
}

async function partSize(sha256: string, cache: Cache): Promise<number> {
  const part = path.join(cache.downloadsFolder, `${sha256}.part`);
  return (await stat(part).catch(() => undefined))?.size ?? 0;
}

/** The table of programs, and below it what is in the way of those that are missing. */
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
  if (state !== "missing") {
    return transferText(bytes);
  }
  return bytes === 0 ? "-" : `${transferText(bytes)} of it`;
}
