import { existsSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { pushToMachine } from "../machine/push-to-machine.ts";
import type { StepContext } from "../node/remote-step.ts";
import { mediaFolder } from "./media-folder.ts";
import { type OwnScript, ownScriptPath } from "./own-scripts.ts";
import { programArtifacts, type ProgramName, type WindowsSoftware } from "./software.ts";

/** Time limit for pushing some hundred megabytes over a slow line. */
const pushSeconds = 1800;

/** The pushes to one machine, by program. Programs in the machine's image are not pushed. */
export type PushedPrograms = Readonly<Partial<Record<ProgramName, pulumi.Resource>>>;

/**
 * Copies the programs from this host's cache to a machine, in parallel, into `C:\kindows\media\<sha256>`. The steps
 * that use them check them there. A preview needs none of the files and shows missing ones as unknown.
 *
 * @param dependsOn earlier steps, which create the folder's parent and reboot the machine.
 * @throws pulumi.ResourceError outside previews for a file that is not downloaded.
 */
export function pushPrograms(
  context: StepContext,
  software: WindowsSoftware,
  dependsOn: readonly pulumi.Resource[],
): PushedPrograms {
  const pushes = programArtifacts(software).flatMap(([name, { uri, origin, sha256 }]) => {
    if (origin === "image") return [];
    const folder =
      origin.folder !== undefined && existsSync(origin.folder) ? origin.folder : undefined;
    if (folder === undefined && !pulumi.runtime.isDryRun()) {
      throw new pulumi.ResourceError(
        `${context.machine.name}: ${uri} is not in this host's cache: run \`./kindows fetch --stack <name>\``,
        context.parent,
      );
    }
    const push = pushToMachine(
      `${context.name}-push-${name.toLowerCase()}`,
      context.machine,
      {
        source: folder === undefined ? undefined : new pulumi.asset.FileArchive(folder),
        remotePath: mediaFolder,
        sha256: sha256 ?? "",
        limitSeconds: pushSeconds,
      },
      { parent: context.parent, dependsOn: [...dependsOn] },
    );
    return [[name, push] as const];
  });
  return Object.fromEntries(pushes);
}

/** Copies scripts of the user's to a machine. The step that runs them checks them there. @param after an earlier step. */
export function pushScripts(
  context: StepContext,
  scripts: readonly OwnScript[],
  after: pulumi.Resource,
): readonly pulumi.Resource[] {
  return scripts.map(({ name, path, sha256 }) =>
    pushToMachine(
      `${context.name}-push-${name.toLowerCase()}`,
      context.machine,
      {
        source: existsSync(path) ? new pulumi.asset.FileAsset(path) : undefined,
        remotePath: ownScriptPath(sha256),
        sha256,
        limitSeconds: pushSeconds,
      },
      { parent: context.parent, dependsOn: [after] },
    ),
  );
}
