import { programArtifacts, type WindowsSoftware } from "../../components/windows/software.ts";
import type { Settings } from "../../config/settings.ts";
import { recordBuilt } from "../../toolchain/built.ts";
import { Cache } from "../../toolchain/cache.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { lockChecksum, requireTrust } from "../../toolchain/publisher.ts";
import { readSoftwareLock, softwareLockFile } from "../../toolchain/software-lock.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { say } from "../progress.ts";
import {
  fetchPrograms,
  type FetchedFile,
  type HostArtifact,
  type ProgramState,
} from "./programs.ts";
import { imageMedia, isMadeFromIso, missingUpdate } from "../../images/windows/media.ts";
import {
  catalogueSearch,
  findInCatalogue,
  nameAnUpdate,
  updateCatalogue,
} from "../../images/windows/update-catalogue.ts";
import type { HostProblem } from "../../config/host-problem.ts";
import { windowsVersionOf } from "../../config/supported.ts";
import { pushedSoftware } from "../../components/windows/stack-software.ts";

/** Programs that a stack pushes to its Windows machines: those that their image does not contain. */
export function pushedPrograms(settings: Settings): HostArtifact[] {
  return onHost(pushedSoftware(settings));
}

export function pushedArtifacts(software: WindowsSoftware): HostArtifact[] {
  return onHost(programArtifacts(software));
}

function onHost(programs: ReturnType<typeof programArtifacts>): HostArtifact[] {
  return programs.flatMap(([, { origin, ...artifact }]) => {
    return origin === "image" ? [] : [{ ...artifact, origin }];
  });
}

export function fetchFiles(files: readonly FetchedFile[]): Promise<ProgramState[]> {
  return fetchPrograms(files, {
    cache: new Cache(),
    say,
    ensurePackages: (names) => ensureHostPackages(names, say),
  });
}

/** Downloads what is missing in the cache, and records its paths for this clone. */
export async function fetchAndRecord(programs: readonly HostArtifact[]): Promise<ProgramState[]> {
  const states = await fetchFiles(programs);
  const folders: Record<string, string> = {};
  for (const { sha256, folder } of states) if (sha256 && folder) folders[sha256] = folder;
  if (Object.keys(folders).length > 0) recordBuilt({ tools: {}, windowsPrograms: folders });
  return states;
}

/** Part of `up` and `prepare`, after they got consent (consent.ts): downloads missing programs. */
export async function ensureStackPrograms(settings: Settings): Promise<void> {
  const lines = (await fetchAndRecord(pushedPrograms(settings)))
    .filter(({ state }) => state === "missing")
    .map(({ fileName, problem }) => `  - ${fileName}: ${problem}\n`);
  if (lines.length === 0) return;
  const what = "programs for the Windows nodes could not be downloaded; nothing was changed:";
  throw new Failure(`${what}\n${lines.join("")}Run it again to continue.`);
}

export interface DownloadedMedia {
  readonly files: readonly (FetchedFile & { readonly sha256: string })[];
  readonly problems: readonly HostProblem[];
}

/** Downloads for a stack's image: pinned, never trusted on first use. */
export function downloadedMedia({ windows }: Pick<Settings, "windows">): DownloadedMedia {
  const { image, version } = windows;
  if (!isMadeFromIso(image)) return { files: [], problems: [] };
  const { media, problems } = imageMedia(image, windowsVersionOf(version));
  const files = media.flatMap(({ source }) => (source.kind === "file" ? [] : [source]));
  return { files, problems };
}

/**
 * Finds the update for the ISO if neither settings nor lock have its file, and locks what Microsoft's catalogue says
 * about it: trust on first use. Queries nothing before the terms are agreed to, and downloads nothing.
 */
export async function findUpdate(
  { windows }: Pick<Settings, "windows">,
  lockFile = softwareLockFile,
  site = updateCatalogue,
): Promise<void> {
  const { image, version } = windows;
  if (!isMadeFromIso(image)) return;
  const kb = missingUpdate(image, windowsVersionOf(version), readSoftwareLock(lockFile));
  if (kb === undefined) return;
  say(`looking for ${kb} in Microsoft's Update Catalog`);
  await ensureHostPackages(["curl"], say);
  try {
    requireTrust(`${kb} (cumulative update)`);
    const { uri: url, sha256 } = await findInCatalogue(kb, site);
    await lockChecksum({ url, checksumUrl: catalogueSearch(kb) }, sha256, say, lockFile);
  } catch (error) {
    throw new Failure(
      `${kb} could not be found in Microsoft's Update Catalog: ${messageOf(error)}. ${nameAnUpdate}`,
    );
  }
}
