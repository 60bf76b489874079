/**
 * Makes a stack's image as `up` and `prepare` do, but of a stand-in for Windows. Settings are given as JSON, the cache by
 * KINDOWS_CACHE; a second argument has no more made in the image than is needed for one.
 */
import { ensureStackImage } from "../../cli/prepare/stack-image.ts";
import { exitCodes, Failure } from "../../host/failure.ts";
import { bareBake } from "../../components/windows/image/bake.ts";
import type { Settings } from "../../config/settings.ts";
import { standInBuilder } from "./stand-in-media.ts";

const [, , settings = "", bare] = process.argv;
try {
  const changes = bare === undefined ? standInBuilder : { ...standInBuilder, bake: bareBake };
  await ensureStackImage(JSON.parse(settings) as Settings, changes);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof Failure ? error.exitCode : exitCodes.failed;
}
