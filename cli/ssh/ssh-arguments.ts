import type { AccessFiles } from "../lab/access.ts";
import type { LabOutputs } from "../lab/outputs.ts";

/** Arguments of `ssh` for one of a lab's machines: only its key, and only the pinned host key. */
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
