import path from "node:path";
import { projectRoot } from "../../../toolchain/project.ts";
import { filesBelow, stepsSource } from "../steps-folder.ts";
import { bakedSteps } from "./bake.ts";

/** The scripts that prepare, bake and seal an image. */
export const imageScriptsSource = path.join(projectRoot, "components/windows/image/scripts");

/**
 * The scripts on the CD: their paths there, and the files here. The nodes' steps that run during a build are beside them,
 * and the steps' library is merged with theirs.
 *
 * @throws if both libraries have a file of the same name.
 */
export function imageScripts(): ReadonlyMap<string, string> {
  const steps = path.join(projectRoot, stepsSource);
  const baked = bakedSteps.map(({ name }) => `${name}.ps1`);
  const found = new Map(
    filesBelow(steps)
      .filter((name) => name.startsWith("lib/") || baked.includes(name))
      .map((name) => [name, path.join(steps, name)]),
  );
  for (const name of filesBelow(imageScriptsSource)) {
    if (found.has(name)) {
      throw new Error(`${name} is in the library of the image's scripts and in that of the steps`);
    }
    found.set(name, path.join(imageScriptsSource, name));
  }
  return found;
}
