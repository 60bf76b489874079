import type { AccessFiles } from "../lab/access.ts";
import type { LabOutputs } from "../lab/outputs.ts";

/** Arguments of `ssh` for one of a lab's machines: its own key, and no host but the one that is pinned. */
export function sshArguments(
  { sshUser, address }: LabOutputs["nodes"][number],
  { sshKey, knownHosts }: Pick<AccessFiles, "sshKey" | "knownHosts">,
): string[] {
  return [
    ...["-i", sshKey, "-o", "IdentitiesOnly=yes"],
    ...["-o", `UserKnownHostsFile=${knownHosts}`],
    `${sshUser}@${address}`,
  ];
}
