import path from "node:path";
import {
  imageFile,
  windowsImage,
  type BuilderChanges,
} from "../../images/windows/builder/image-artifact.ts";
import { builtImage, imageKey } from "../../images/windows/builder/built-image.ts";
import { MediaError } from "../../images/disk/media-program.ts";
import { checkKvm, gatherKvm } from "../../components/machine/libvirt/kvm.ts";
import type { Settings } from "../../config/settings.ts";
import { recordBuilt } from "../../toolchain/built.ts";
import { Cache, artifactAddress } from "../../toolchain/cache.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { causesOf, Failure, messageOf } from "../../host/failure.ts";
import { throwAny } from "../../config/host-problem.ts";
import { downloadedMedia, findUpdate } from "../fetch/image-media.ts";
import {
  ensurePrograms,
  fetchPrograms,
  imagePrograms,
  type ProgramState,
} from "../fetch/programs.ts";
import { say } from "../progress.ts";
import type { DiskMaker } from "./disk-maker.ts";
import { requireMakeableImage } from "./image-checks.ts";

export const diskFromIso: DiskMaker = {
  unmade: (settings) => (builtImage(settings) === undefined ? ["the Windows image"] : []),
  installation: {
    lookUp: (settings) => findUpdate(settings),
    mustBeMade: (settings, cache, say) => requireMakeableImage(settings, cache, say),
    downloads: downloadedMedia,
    make: (settings) => buildStackImage(settings, new Cache()),
  },
};

/** Downloads the media and builds the image, unless it exists; records its path for this clone. */
export async function buildStackImage(
  settings: Settings,
  cache: Cache,
  changes: BuilderChanges = {},
): Promise<string> {
  const artifact = windowsImage(settings, cache, changes);
  try {
    const address = await artifactAddress(artifact);
    if ((await cache.state(address)).kind !== "complete") {
      // Without KVM, Windows takes a day to install.
      throwAny(checkKvm(settings, { kvm: await gatherKvm(settings.hypervisor.domainType) }));
      await cache.requireWritable();
      // Only pinned downloads, and only with the consent given in the settings.
      requireFetched(await fetchPrograms(downloadedMedia(settings).files));
      await ensurePrograms(imagePrograms(settings));
    }
    const ensured = await ensureArtifacts([artifact], {
      cache,
      progress: say,
      ensurePackages: (names) => ensureHostPackages(names, say),
    });
    const disk = path.join(ensured.path(artifact), imageFile);
    const hash = address.slice(address.lastIndexOf("-") + 1).slice(0, 12);
    recordBuilt({
      tools: {},
      windowsImages: { [imageKey(settings)]: { path: disk, hash } },
    });
    return disk;
  } catch (error) {
    // Keeps media errors without the build's empty log, and interruptions as such.
    throw (
      [...causesOf(error)].find((each) => each instanceof Failure) ?? new Failure(messageOf(error))
    );
  }
}

export function requireFetched(states: readonly ProgramState[]): void {
  const instead =
    "Run again to continue, or fetch it elsewhere and write its `path` below kindows:windows.image.";
  const problems = states
    .filter(({ state }) => state === "missing")
    .map(({ fileName: subject, problem = "" }) => ({
      subject,
      why: `could not be fetched: ${problem}`,
      instead,
    }));
  if (problems.length > 0) throw new MediaError(...problems);
}
