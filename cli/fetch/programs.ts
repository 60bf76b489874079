import { stat } from "node:fs/promises";
import path from "node:path";

import { cachedDownload, downloadArtifact } from "../../components/windows/download-artifact.ts";
import { fileNameOf } from "../../components/windows/media-folder.ts";
import type { HostOrigin, ProgramArtifact } from "../../components/windows/software.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import type { Cache } from "../../toolchain/cache.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { lockChecksum, publishersChecksum, requireTrust } from "../../toolchain/publisher.ts";
import { messageOf } from "../../host/failure.ts";
import { transferText } from "../../toolchain/progress-text.ts";
import { table } from "../table.ts";

export type HostArtifact = ProgramArtifact & { readonly origin: HostOrigin };

/** A file that is downloaded into the cache, to be pushed to machines or put into an image. */
export interface FetchedFile extends Pick<ProgramArtifact, "uri" | "sha256"> {
  /** URL of its publisher's checksum; undefined if only the pinned one is accepted. */
  readonly origin?: Pick<HostOrigin, "checksumUri"> | undefined;
  readonly bytes?: number | undefined;
}

export interface ProgramState {
  readonly fileName: string;
  readonly sha256: string | undefined;
  readonly state: "there" | "fetched" | "missing";
  /** Bytes of the file, or of an incomplete download. */
  readonly bytes: number;
  /** Folder named by the SHA-256 that holds the file; undefined while it is missing. */
  readonly folder?: string;
  readonly problem?: string;
}

interface FetchOptions {
  readonly cache: Cache;
  readonly say: Progress;
  readonly lockFile?: string;
  readonly ensurePackages?: (names: readonly string[]) => Promise<void>;
}

export function findPrograms(files: readonly FetchedFile[], cache: Cache): Promise<ProgramState[]> {
  return Promise.all(files.map((file) => stateOf(file, file.sha256, cache)));
}

/** Downloads files in turn, even if some fail. If a checksum is missing, the publisher's is trusted and locked. */
export async function fetchPrograms(
  files: readonly FetchedFile[],
  options: FetchOptions,
): Promise<ProgramState[]> {
  const states: ProgramState[] = [];
  for (const file of files) states.push(await fetchProgram(file, options));
  return states;
}

async function fetchProgram(file: FetchedFile, options: FetchOptions): Promise<ProgramState> {
  const { cache, say, lockFile, ensurePackages } = options;
  const published = { url: file.uri, checksumUrl: file.origin?.checksumUri };
  let { sha256 } = file;
  try {
    if (sha256 === undefined) {
      requireTrust(file.uri);
      await ensurePackages?.(["curl"]);
      sha256 = await publishersChecksum(published);
    }
    let state = await stateOf(file, sha256, cache);
    if (state.state === "missing") {
      const artifact = downloadArtifact({ uri: file.uri, sha256 });
      await ensureArtifacts([artifact], { cache, progress: say, ensurePackages });
      state = { ...(await stateOf(file, sha256, cache)), state: "fetched" };
    }
    // Only after the file was downloaded and matched the publisher's checksum.
    if (file.sha256 === undefined) await lockChecksum(published, sha256, say, lockFile);
    return state;
  } catch (error) {
    const found = await stateOf(file, sha256, cache);
    return { ...found, state: "missing", folder: undefined, problem: messageOf(error) };
  }
}

/** State of a file in the cache. */
async function stateOf(
  file: FetchedFile,
  sha256: string | undefined,
  cache: Cache,
): Promise<ProgramState> {
  let problem = "no checksum is known, and nothing is installed without one";
  if (sha256 !== undefined) {
    problem = "not in the cache";
    const downloaded = await cachedDownload({ uri: file.uri, sha256 }, cache);
    if (downloaded !== undefined) {
      const { size: bytes } = await stat(downloaded);
      const { base: fileName, dir: folder } = path.parse(downloaded);
      return { fileName, sha256, state: "there", bytes, folder };
    }
  }
  const part = path.join(cache.downloadsFolder, `${sha256}.part`);
  const bytes = (await stat(part).catch(() => undefined))?.size ?? 0;
  return { fileName: fileNameOf(file), sha256, state: "missing", bytes, problem };
}

export function programsText(states: readonly ProgramState[]): string {
  const rows = states.map(({ fileName, state, bytes, sha256 = "unknown" }) => {
    const partly = bytes === 0 ? "-" : `${transferText(bytes)} of it`;
    return [fileName, state, state === "missing" ? partly : transferText(bytes), sha256];
  });
  const problems = states.flatMap(({ fileName, problem }) =>
    problem === undefined ? [] : [`${fileName}: ${problem}`],
  );
  return [table(["PROGRAM", "STATE", "SIZE", "SHA-256"], rows), ...problems].join("\n");
}
