import { existsSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { pushToMachine } from "../machine/push-to-machine.ts";
import { mediaFolder } from "./media-folder.ts";
import { programArtifacts, type ProgramName, type WindowsSoftware } from "./software.ts";
import type { StepContext } from "./run-steps.ts";

/** Time limit for pushing some hundred megabytes over a slow line. */
const pushSeconds = 1800;

/** Pushes to one machine, by program. Programs in its image have none. */
export type PushedPrograms = Readonly<Partial<Record<ProgramName, pulumi.Resource>>>;

/**
 * Copies the programs from this host's cache to a machine, side by side, into `C:\kindows\media\<sha256>`; the steps
 * that use them check them there.
 *
 * A preview needs none of the files: those that are not downloaded yet are shown as unknown.
 *
 * @param dependsOn earlier steps: the folder's parent must exist, and no reboot may interrupt.
 * @throws pulumi.ResourceError outside previews for a file that is not downloaded.
 */
export function pushPrograms(
  context: StepContext,
  software: WindowsSoftware,
  dependsOn: readonly pulumi.Resource[],
): PushedPrograms {
  const pushes = programArtifacts(software).flatMap(([name, { uri, origin, sha256 }]) => {
    if (origin === "image") {
      return [];
    }
    const folder = fetched(origin.folder);
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

function fetched(folder: string | undefined): string | undefined {
  return folder !== undefined && existsSync(folder) ? folder : undefined;
}
