import { asVirshUri, asWritten } from "../../components/machine/remote-hypervisor.ts";
import { runVirsh } from "../../host/virsh.ts";
import { hypervisorConnections } from "../../components/machine/hypervisor-connections.ts";
import type { Settings } from "../../config/settings.ts";
import type { StateResource } from "../recovery/deployment.ts";
import type { RemoteHost } from "./host.ts";

/** Longest that a hypervisor is waited for, in seconds. */
const reachSeconds = 15;

const resourceName = /^hypervisor-(.+)$/;

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

/** Those the stack's state knows of: what was made there is still there when the settings name it no more. */
export function hypervisorsOf(resources: readonly StateResource[]): RemoteHost[] {
  return resources.flatMap(({ type, urn, inputs }) => {
    const [, name] = resourceName.exec(urn.split("::").at(-1) ?? "") ?? [];
    const uri = inputs?.["uri"];
    return type === "pulumi:providers:libvirt" && name !== undefined && typeof uri === "string"
      ? [{ name, uri: asWritten(uri), virshUri: asVirshUri(uri) }]
      : [];
  });
}

/** All of both; of one that both have, what the first says. */
export function together(
  first: readonly RemoteHost[],
  second: readonly RemoteHost[],
): readonly RemoteHost[] {
  return [...first, ...second.filter(({ name }) => !first.some((one) => one.name === name))];
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
