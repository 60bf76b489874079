import type * as pulumi from "@pulumi/pulumi";
import { RunError } from "@pulumi/pulumi/errors.js";
import { artifactPath, fileNameOf } from "../windows/media-folder.ts";
import type { JoiningNode } from "../windows/node-step.ts";
import type { ProgramArtifact, ProgramName } from "../windows/software.ts";

/**
 * Paths of a pod network's programs on a machine.
 *
 * @param missing error message if the software lacks one of them.
 * @throws RunError, which Pulumi prints without a stack trace.
 */
export function placesOf<Name extends ProgramName>(
  { machine, software, checksums }: JoiningNode,
  names: readonly Name[],
  missing: string,
): Readonly<Record<Name, pulumi.Output<string>>> {
  const places = names.map((name) => {
    const artifact: ProgramArtifact | undefined = software[name];
    if (artifact === undefined) throw new RunError(`${machine.name}: ${missing}`);
    const fileName = fileNameOf(artifact);
    return [name, checksums(name).apply((known) => artifactPath(known[name], fileName))];
  });
  return Object.fromEntries(places) as Readonly<Record<Name, pulumi.Output<string>>>;
}
