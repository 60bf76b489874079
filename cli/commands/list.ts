import { machineKinds } from "../../components/machine/machine-makers.ts";
import { thisHost } from "../../host/host.ts";
import type { CommandResult, Options } from "../command-line/options.ts";
import { containers } from "../host-resources/containers.ts";
import { resourceKinds, surveyHost } from "../host-resources/host-resources.ts";
import { processes } from "../host-resources/processes.ts";
import { registries } from "../host-resources/registries.ts";
import { labFiles } from "../lab/access.ts";
import { ownershipOf } from "../lab/claim.ts";
import { labsIn, labsText } from "../lab/labs.ts";
import { print, say } from "../progress.ts";
import { findLab } from "../stack-settings.ts";

/** A stack's files are in its clone, and a process may be of one that only looks. */
const ofHosts = resourceKinds.filter((kind) => kind !== labFiles && kind !== processes);

const usualUri = "qemu:///system";

/** `kindows list`: the labs on this host, of all clones, with their state. Exit code 1 if something could not be listed. */
export async function list({ stack, json }: Options<"json">): Promise<CommandResult> {
  const identity = await findLab(stack).catch(() => undefined);
  const host = thisHost(identity ?? { stack, lab: "", libvirtUri: usualUri });
  const [kinds, { found: all, unlisted }] = await Promise.all([
    machineKinds(),
    surveyHost(host, ofHosts),
  ]);
  const machines = all.filter((each) => kinds.some(({ kind }) => kind === each.kind));
  const inDocker = all.filter(({ kind }) => kind === containers.kind || kind === registries.kind);
  const names = new Set(all.map(({ lab }) => lab));
  const claims = new Map(
    await Promise.all(
      [...names].map(async (lab) => [lab, (await ownershipOf(lab, stack)).claim] as const),
    ),
  );
  const claimOf = (lab: string) => claims.get(lab);
  const labs = labsIn({ machines, containers: inDocker, all, claimOf });
  print(json ? JSON.stringify(labs, undefined, 2) : labsText(labs));
  for (const { kind, reason } of unlisted) say(`cannot look for ${kind} resources: ${reason}`);
  return unlisted.length === 0 ? undefined : "not everything could be listed (see above)";
}
