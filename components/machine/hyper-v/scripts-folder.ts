import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "../../../toolchain/project.ts";
import { filesHash, stepsSource } from "../../windows/steps-folder.ts";

/** The scripts for a Hyper-V host. */
export const hyperVScriptsSource = path.join(projectRoot, "components/machine/hyper-v/scripts");

/** Of the steps' library: the frame that every script stands in. */
const sharedParts = ["Step.ps1", "ExitCodes.ps1", "SecretRemains.ps1"];

/** What is copied to a Hyper-V host. */
export interface HyperVScriptFiles {
  /** Of their names and bytes: edited ones get another folder there. */
  readonly hash: string;
  /** By their path below that folder, e.g. `lib/Step.ps1`. */
  readonly files: ReadonlyMap<string, Buffer>;
}

export function hyperVScriptFiles(): HyperVScriptFiles {
  const own = readdirSync(hyperVScriptsSource, { recursive: true })
    .map((file) => String(file).split(path.sep).join("/"))
    .filter((file) => file.endsWith(".ps1"))
    .sort();
  const files = new Map([
    ...own.map((file) => [file, readFileSync(path.join(hyperVScriptsSource, file))] as const),
    ...sharedParts.map(
      (name) =>
        [`lib/${name}`, readFileSync(path.join(projectRoot, stepsSource, "lib", name))] as const,
    ),
  ]);
  return { hash: filesHash(files), files };
}
