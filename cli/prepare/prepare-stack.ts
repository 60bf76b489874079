import type { Settings } from "../../config/settings.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import { Cache } from "../../toolchain/cache.ts";
import { ensureStackPrograms } from "../fetch/stack-programs.ts";
import { requireMakeableImage } from "./image-checks.ts";
import { prepare } from "./prepare.ts";
import { ensureStackImage } from "./stack-image.ts";

/** Sees to all that a stack needs before it can come up; what would keep its image from being made is told first. */
export async function prepareStack(settings: Settings, say: Progress): Promise<void> {
  await requireMakeableImage(settings, new Cache(), say);
  await prepare(settings, say);
  await ensureStackPrograms(settings);
  await ensureStackImage(settings);
}
