import * as pulumi from "@pulumi/pulumi";
import { remote } from "@pulumi/command";
import type { Machine } from "./machine.ts";

/** What of this host's cache is brought to a machine. */
export interface Pushed {
  /** Undefined while it is not on this host: shown as not known, and what was pushed before stays. */
  readonly source: pulumi.asset.Asset | pulumi.asset.Archive | undefined;
  /** Where it comes to lie, as SFTP writes it. */
  readonly remotePath: string;
  /** SHA-256 of it: another one is pushed again. */
  readonly sha256: string;
  /** What it may take, in seconds. */
  readonly limitSeconds: number;
}

/** Copies something from this host to a machine; who uses it checks it there. */
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
      triggers: [machine.instanceId, sha256],
    },
    {
      ...opts,
      deletedWith: machine.resource,
      deleteBeforeReplace: true,
      // A file that is missing here says nothing about the one on the machine: the checksum among the triggers does.
      ignoreChanges: source === undefined ? ["source"] : [],
      customTimeouts: { create: limit, update: limit },
    },
  );
}
