import path from "node:path";
import { projectRoot } from "../../toolchain/project.ts";
import { filesBelow } from "../../components/node/folder-hash.ts";
import { stepsSource } from "../../components/node/steps-folder.ts";
import { bakedSteps } from "./bake.ts";

/** The scripts that prepare, bake and seal an image. */
export const imageScriptsSource = path.join(projectRoot, "images/windows/scripts");

/**
 * The scripts on the CD, as paths there and files on this host: the image's own, the nodes' steps that run during a
 * build, and both libraries merged into one folder.
 */
export function imageScripts(): ReadonlyMap<string, string> {
  const steps = path.join(projectRoot, stepsSource);
  const baked = bakedSteps.map(({ name }) => `${name}.ps1`);
  const isBaked = (name: string): boolean => name.startsWith("lib/") || baked.includes(name);
  return new Map([
    ...filesBelow(steps)
      .filter(isBaked)
      .map((name) => [name, path.join(steps, name)] as const),
    ...filesBelow(imageScriptsSource).map(
      (name) => [name, path.join(imageScriptsSource, name)] as const,
    ),
  ]);
}
