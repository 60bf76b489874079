/**
 * Builds a stack's image like `up` and `prepare`, but from a stand-in for Windows. Arguments: the settings as JSON,
 * and any second one for an image with as little baked in as possible. KINDOWS_CACHE names the cache.
 */
import { buildStackImage } from "../../cli/prepare/disk-from-iso.ts";
import { Cache } from "../../toolchain/cache.ts";
import { exitCodes, Failure } from "../../host/failure.ts";
import { bareBake } from "../../images/windows/bake.ts";
import type { Settings } from "../../config/settings.ts";
import { standInBuilder } from "./stand-in-media.ts";

const [, , settings = "", bare] = process.argv;
try {
  const changes = bare === undefined ? standInBuilder : { ...standInBuilder, bake: bareBake };
  await buildStackImage(JSON.parse(settings) as Settings, new Cache(), changes);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof Failure ? error.exitCode : exitCodes.failed;
}
