import type * as pulumi from "@pulumi/pulumi";
import { RunError } from "@pulumi/pulumi/errors.js";
import type { JoiningNode } from "./node-step.ts";
import type { ProgramArtifact, ProgramName } from "./software.ts";

/** Folder of the programs on a machine, in the form that SFTP takes. */
export const mediaFolder = "C:/kindows/media";

/**
 * Path of a program's file on a machine, with backslashes. The image contains the file, or this host pushes it there.
 *
 * @param sha256 in lower case, so that files of the same name and different content can coexist.
 */
export function artifactPath(sha256: string, fileName: string): string {
  return `C:\\kindows\\media\\${sha256}\\${fileName}`;
}

/** Name of a program's file: the last part of its URL. */
export function fileNameOf({ uri }: { readonly uri: string }): string {
  return uri.slice(uri.lastIndexOf("/") + 1);
}

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
