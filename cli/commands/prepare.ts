import type { Artifact } from "../../toolchain/artifact.ts";
import { Cache } from "../../toolchain/cache.ts";
import { removeCompilerCaches } from "../../toolchain/compiler-caches.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { prepareEngine } from "../../toolchain/prepare-engine.ts";
import { consentOf } from "../fetch/consent.ts";
import { prepareStack } from "../prepare/prepare-stack.ts";
import { requireRoomToPrepare } from "../prepare/room.ts";
import { exitCodes } from "../../host/failure.ts";
import { say } from "../progress.ts";
import { existingSettings, stackSettings } from "../stack-settings.ts";

export interface PrepareOptions {
  readonly stack: string;
  /** Fetch what is missing without a question. */
  readonly yes: boolean;
}

/**
 * `kindows prepare`: host packages, daemons, tools and images that the stack needs. Where machines and a cluster are
 * there already, that is the engine alone: no daemon, no hypervisor, no image.
 */
export async function prepare({ stack, yes }: PrepareOptions): Promise<number> {
  if (await existingSettings(stack)) {
    const options = {
      progress: say,
      ensurePackages: (names: readonly string[]) => ensureHostPackages(names, say),
      ensureRoom: (missing: readonly Artifact[]) => requireRoomToPrepare(missing, undefined, say),
    };
    await prepareEngine([], options, "existing");
    await removeCompilerCaches(new Cache(), "go", say);
  } else {
    await prepareStack(await stackSettings(stack), consentOf(stack, yes), say);
  }
  say(`everything that the stack ${stack} needs is in place`);
  return exitCodes.ok;
}
