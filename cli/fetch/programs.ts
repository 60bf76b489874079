import { stat } from "node:fs/promises";
import path from "node:path";

import { cachedDownload, downloadArtifact } from "../../components/windows/download-artifact.ts";
import { fileNameOf } from "../../components/windows/media-folder.ts";
import {
  type HostOrigin,
  type ProgramArtifact,
  programArtifacts,
  type WindowsSoftware,
} from "../../components/windows/software.ts";
import { pushedSoftware } from "../../components/windows/stack-software.ts";
import type { Settings } from "../../config/settings.ts";
import type { StackNeeds } from "../../stacks/stack-needs.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import { recordBuilt } from "../../toolchain/built.ts";
import { Cache } from "../../toolchain/cache.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { lockChecksum, publishersChecksum, requireTrust } from "../../toolchain/publisher.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { transferText } from "../../toolchain/progress-text.ts";
import { say } from "../progress.ts";
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
  readonly cache?: Cache;
  readonly progress?: Progress;
  readonly lockFile?: string;
}

export function findPrograms(files: readonly FetchedFile[], cache: Cache): Promise<ProgramState[]> {
  return Promise.all(files.map((file) => stateOf(file, file.sha256, cache)));
}

/** Downloads files in turn, even if some fail. If a checksum is missing, the publisher's is trusted and locked. */
export async function fetchPrograms(
  files: readonly FetchedFile[],
  options: FetchOptions = {},
): Promise<ProgramState[]> {
  const states: ProgramState[] = [];
  for (const file of files) states.push(await fetchProgram(file, options));
  return states;
}

async function fetchProgram(
  file: FetchedFile,
  { cache = new Cache(), progress = say, lockFile }: FetchOptions,
): Promise<ProgramState> {
  const ensurePackages = (names: readonly string[]) => ensureHostPackages(names, progress);
  const published = { url: file.uri, checksumUrl: file.origin?.checksumUri };
  let { sha256 } = file;
  try {
    if (sha256 === undefined) {
      requireTrust(file.uri);
      await ensurePackages(["curl"]);
      sha256 = await publishersChecksum(published);
    }
    let state = await stateOf(file, sha256, cache);
    if (state.state === "missing") {
      const artifact = downloadArtifact({ uri: file.uri, sha256 });
      await ensureArtifacts([artifact], { cache, progress, ensurePackages });
      state = { ...(await stateOf(file, sha256, cache)), state: "fetched" };
    }
    // Only after the file was downloaded and matched the publisher's checksum.
    if (file.sha256 === undefined) await lockChecksum(published, sha256, progress, lockFile);
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

/** Programs that a stack pushes to its Windows machines. */
export function pushedPrograms(
  settings: Settings,
  { pushedPrograms: pushed }: Pick<StackNeeds, "pushedPrograms">,
): HostArtifact[] {
  return onHost(pushedSoftware(settings, pushed));
}

/** Programs that are put into an image, whatever machines will start from it. */
export function imagePrograms(settings: Settings): HostArtifact[] {
  return onHost(pushedSoftware(settings, "all"));
}

export function pushedArtifacts(software: WindowsSoftware): HostArtifact[] {
  return onHost(programArtifacts(software));
}

function onHost(programs: ReturnType<typeof programArtifacts>): HostArtifact[] {
  return programs.flatMap(([, { origin, ...artifact }]) => {
    return origin === "image" ? [] : [{ ...artifact, origin }];
  });
}

/** Downloads what is missing in the cache, and records its paths for this clone. */
export async function fetchAndRecord(programs: readonly HostArtifact[]): Promise<ProgramState[]> {
  const states = await fetchPrograms(programs);
  const folders: Record<string, string> = {};
  for (const { sha256, folder } of states) if (sha256 && folder) folders[sha256] = folder;
  if (Object.keys(folders).length > 0) recordBuilt({ tools: {}, windowsPrograms: folders });
  return states;
}

/** Part of `up` and `prepare`, after they got consent (consent.ts): downloads missing programs. */
export async function ensurePrograms(programs: readonly HostArtifact[]): Promise<void> {
  const lines = (await fetchAndRecord(programs))
    .filter(({ state }) => state === "missing")
    .map(({ fileName, problem }) => `  - ${fileName}: ${problem}\n`);
  if (lines.length === 0) return;
  const what = "programs for the Windows nodes could not be downloaded; nothing was changed:";
  throw new Failure(`${what}\n${lines.join("")}Run it again to continue.`);
}
