import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import { otherSteps } from "../node/step-title.ts";
import { stepTriggers } from "../node/step-trigger.ts";
import { deletedWith, type Machine } from "./machine.ts";

/** A file or archive that is copied to a machine. */
interface Pushed {
  /** Undefined if it is missing on this host. The copy on the machine then stays. */
  readonly source: pulumi.asset.Asset | pulumi.asset.Archive | undefined;
  /** Path on the machine, in SFTP's notation. */
  readonly remotePath: string;
  /** SHA-256 of the content. If it changes, the content is copied again. */
  readonly sha256: string;
  /** Time limit in seconds. */
  readonly limitSeconds: number;
}

/** Copies something from this host to a machine. The step that uses the copy verifies its checksum. */
export function pushToMachine(
  name: string,
  machine: Machine,
  { source, remotePath, sha256, limitSeconds }: Pushed,
  opts: Required<Pick<pulumi.CustomResourceOptions, "parent" | "dependsOn">>,
): pulumi.Resource {
  const limit = `${limitSeconds}s`;
  return new remote.CopyToRemote(
    name,
    {
      connection: machine.connection,
      source: source ?? pulumi.output(pulumi.unknown),
      remotePath,
      triggers: stepTriggers(machine, otherSteps.push, sha256),
    },
    {
      ...opts,
      ...deletedWith(machine),
      deleteBeforeReplace: true,
      // A file that is missing here does not mean that the copy is outdated. A changed checksum does.
      ignoreChanges: source === undefined ? ["source"] : [],
      customTimeouts: { create: limit, update: limit },
    },
  );
}
