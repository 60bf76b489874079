import path from "node:path";

import {
  imageFile,
  windowsImage,
  type BuilderChanges,
} from "../../components/windows/image/builder/image-artifact.ts";
import { imageKey } from "../../components/windows/image/builder/built-image.ts";
import { isMadeFromIso } from "../../components/windows/image/media.ts";
import { MediaError } from "../../components/machine/disk/media-error.ts";
import { hostProblemsText } from "../../config/host-problem.ts";
import { checkKvm } from "../../preflight/check-kvm.ts";
import { gatherKvm } from "../../preflight/gather-kvm.ts";
import type { Settings } from "../../config/settings.ts";
import { recordBuilt } from "../../toolchain/built.ts";
import { Cache, artifactAddress } from "../../toolchain/cache.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { causesOf, Failure, messageOf } from "../../host/failure.ts";
import { downloadedMedia, ensureStackPrograms, fetchFiles } from "../fetch/stack-programs.ts";
import type { ProgramState } from "../fetch/programs.ts";
import { say } from "../progress.ts";

/** How many digits of the hash a volume's name has. */
const hashDigits = 12;

/**
 * Part of `up` and `prepare`: makes the image of a stack whose settings name an ISO, unless it is there.
 *
 * @throws Failure with what to do.
 */
export async function ensureStackImage(
  settings: Settings,
  changes: BuilderChanges = {},
): Promise<void> {
  if (isMadeFromIso(settings.windows.image)) {
    await buildStackImage(settings, new Cache(), changes);
  }
}

/**
 * Makes the image, after fetching what it is made of, unless it is there; notes for this clone where it lies.
 *
 * @param settings of a stack whose image is made from an ISO.
 * @returns the disk's path.
 * @throws Failure with what to do; with the exit code of an interruption where that was one.
 */
export async function buildStackImage(
  settings: Settings,
  cache: Cache,
  changes: BuilderChanges = {},
): Promise<string> {
  const artifact = windowsImage(settings, cache, changes);
  try {
    const address = await artifactAddress(artifact);
    if ((await cache.state(address)).kind !== "complete") {
      await requireKvm(settings);
      await cache.requireWritable();
      // Only what is pinned, and only with the consent that the settings give.
      requireFetched(await fetchFiles(downloadedMedia(settings).files));
      await ensureStackPrograms(settings);
    }
    const ensured = await ensureArtifacts([artifact], {
      cache,
      progress: say,
      ensurePackages: (names) => ensureHostPackages(names, say),
    });
    const disk = path.join(ensured.path(artifact), imageFile);
    const hash = address.slice(address.lastIndexOf("-") + 1).slice(0, hashDigits);
    const key = imageKey(settings);
    await recordBuilt({ tools: {}, windowsImages: { [key]: { path: disk, hash } } });
    return disk;
  } catch (error) {
    throw explained(error);
  }
}

/** @throws MediaError naming each file that did not come, and why. */
export function requireFetched(states: readonly ProgramState[]): void {
  const missing = states.filter(({ state }) => state === "missing");
  if (missing.length > 0) {
    throw new MediaError(
      missing.map(({ fileName, problem = "" }) => ({
        subject: fileName,
        why: `could not be fetched: ${problem}`,
        instead:
          "Run again to continue, or fetch it elsewhere and write its `path` below kindows:windows.image.",
      })),
    );
  }
}

/** @throws Failure where the settings want KVM and it does not work: without it Windows takes a day to install. */
async function requireKvm({ hypervisor }: Pick<Settings, "hypervisor">): Promise<void> {
  const problems = checkKvm({ hypervisor }, { kvm: await gatherKvm(hypervisor.domainType) });
  if (problems.length > 0) {
    throw new Failure(hostProblemsText(problems));
  }
}

/** An error as a user reads it: about media without a log of nothing, an interruption as one. */
function explained(error: unknown): Error {
  return (
    [...causesOf(error)].find((each) => each instanceof Failure) ?? new Failure(messageOf(error))
  );
}
