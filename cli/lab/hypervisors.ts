import { runVirsh } from "../../host/virsh.ts";
import { hypervisorConnections } from "../../components/machine/hypervisor-connections.ts";
import type { Settings } from "../../config/settings.ts";
import type { StateResource } from "../engine/deployment.ts";
import { StackFacts } from "../engine/facts.ts";
import type { RemoteHost } from "./host.ts";

/** Longest that a hypervisor is waited for, in seconds. */
const reachSeconds = 15;

/** The further hypervisors of the settings. */
export function hypervisorsIn(
  settings: Pick<Settings, "lab" | "hypervisor" | "hypervisors">,
): RemoteHost[] {
  return hypervisorConnections(settings).map(({ name, uri, virshUri }) => ({
    name,
    uri,
    virshUri,
  }));
}

/**
 * Those the stack's state knows of: what was made there is still there when the settings name it no more.
 *
 * @param known those of the settings.
 * @throws Failure where an earlier version has written a state with more than these, for it does not say which.
 */
export function hypervisorsOf(
  resources: readonly StateResource[],
  known: readonly RemoteHost[],
): readonly RemoteHost[] {
  try {
    const storages = new StackFacts(resources).of("kindows:machine:MachineStorage").values();
    return [...storages].flatMap(({ hypervisor }) => hypervisor ?? []);
  } catch (error) {
    // One is this host's.
    const providers = resources.filter(({ type }) => type === "pulumi:providers:libvirt");
    if (providers.length > 1 + known.length) throw error;
    return [];
  }
}

/** All of them, each once; of one that is there twice, what the first says. */
export function together(hosts: readonly RemoteHost[]): readonly RemoteHost[] {
  return hosts.filter(({ name }, at) => hosts.findIndex((one) => one.name === name) === at);
}

/** A hypervisor that does not answer. */
export interface AwayHost extends RemoteHost {
  /** In virsh's own words. */
  readonly reason: string;
}

/** Asks each whether it answers, all at once; for seconds at most. */
export async function awayAmong(
  hosts: readonly RemoteHost[],
  ask: (uri: string) => ReturnType<typeof runVirsh> = (uri) => runVirsh(uri, ["uri"], reachSeconds),
): Promise<AwayHost[]> {
  const asked = await Promise.all(
    hosts.map(async (host) => ({ ...host, ...(await ask(host.virshUri)) })),
  );
  return asked
    .filter(({ how }) => how !== "well")
    .map(({ name, uri, virshUri, reason }) => ({
      ...{ name, uri, virshUri },
      // Two lines of virsh: that it failed, and why.
      reason: reason.replace(/^error: /gm, "").replace(/\s*\n/g, ": "),
    }));
}

/** A hypervisor that does not answer, for people. */
export function awayText({ name, uri, reason }: AwayHost): string {
  return `the hypervisor ${name} (${uri}) does not answer: ${reason}`;
}
