import { programArtifacts, type WindowsSoftware } from "../../components/windows/software.ts";
import type { Settings } from "../../config/settings.ts";
import type { StackNeeds } from "../../stacks/stack-needs.ts";
import { recordBuilt } from "../../toolchain/built.ts";
import { Cache } from "../../toolchain/cache.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { Failure } from "../../host/failure.ts";
import { say } from "../progress.ts";
import {
  fetchPrograms,
  type FetchedFile,
  type HostArtifact,
  type ProgramState,
} from "./programs.ts";
import { pushedSoftware } from "../../components/windows/stack-software.ts";

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
export async function ensurePrograms(programs: readonly HostArtifact[]): Promise<void> {
  const lines = (await fetchAndRecord(programs))
    .filter(({ state }) => state === "missing")
    .map(({ fileName, problem }) => `  - ${fileName}: ${problem}\n`);
  if (lines.length === 0) return;
  const what = "programs for the Windows nodes could not be downloaded; nothing was changed:";
  throw new Failure(`${what}\n${lines.join("")}Run it again to continue.`);
}
