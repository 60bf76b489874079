import { readdirSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "../../../toolchain/project.ts";
import { stepsSource } from "../steps-folder.ts";
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
  const found = new Map<string, string>(
    bakedSteps.map(({ name }) => [
      `${name}.ps1`,
      path.join(projectRoot, stepsSource, `${name}.ps1`),
    ]),
  );
  for (const [folder, target] of [
    [imageScriptsSource, ""],
    [path.join(imageScriptsSource, "lib"), "lib/"],
    [path.join(projectRoot, stepsSource, "lib"), "lib/"],
  ] as const) {
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".ps1"))) {
      if (found.has(`${target}${name}`)) {
        throw new Error(
          `${name} is in the library of the image's scripts and in that of the steps`,
        );
      }
      found.set(`${target}${name}`, path.join(folder, name));
    }
  }
  return found;
}
