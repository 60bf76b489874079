import { goneVariable, isGone } from "../../components/machine/existing/machine-parameter.ts";
import { hypervisorConnections } from "../../components/machine/libvirt/hypervisor-connections.ts";
import { namesIn } from "../../config/names.ts";
import { type Settings } from "../../config/settings.ts";
import { Failure } from "../../host/failure.ts";
import { runVirsh } from "../../host/virsh.ts";
import { unreachableVariable } from "../../stacks/reachable-nodes.ts";
import { providerUrn, type StateResource } from "../engine/deployment.ts";
import { StackFacts } from "../engine/facts.ts";
import type { RemoteHost } from "../../host/host.ts";
import { machineNodes } from "../../config/sections/nodes.ts";

/** A lab's hypervisors on other hosts, before a run; both lists are empty for most labs. */
export interface Fleet {
  readonly reachable: readonly RemoteHost[];
  /** Those that do not answer, and that `KINDOWS_GONE` does not name. */
  readonly unreachable: readonly UnreachableHost[];
}

/**
 * Contacts the hypervisors of the settings and of the stack's state. One that `KINDOWS_GONE` names is not contacted,
 * and its resources in the state count as gone.
 *
 * @param resources of the stack's state.
 * @param settings undefined if they are invalid and the lab is to be removed.
 */
export async function fleetOf(
  resources: readonly StateResource[],
  settings: Settings | undefined,
): Promise<Fleet> {
  const declared = namesIn(process.env[unreachableVariable]);
  const known = settings === undefined ? [] : hypervisorConnections(settings);
  const all = hypervisorsOf(resources, known).filter(({ name }) => !isGone(name));
  const unreachable = [
    ...all
      .filter(({ name }) => declared.includes(name))
      .map((host) => ({ ...host, reason: `${unreachableVariable} names it` })),
    ...(await unreachableAmong(all.filter(({ name }) => !declared.includes(name)))),
  ];
  const names = namesOf(unreachable);
  return { reachable: all.filter(({ name }) => !names.includes(name)), unreachable };
}

function namesOf(hosts: readonly RemoteHost[]): string[] {
  return hosts.map(({ name }) => name);
}

/** URNs of everything in a stack's state that belongs to the unreachable hypervisors. */
export function unreachableUrns(
  resources: readonly StateResource[],
  { unreachable }: Fleet,
  settings: Settings,
): readonly string[] {
  if (unreachable.length === 0) return [];
  const names = namesOf(unreachable);
  const nodes = machineNodes(settings).filter(({ hypervisor }) => names.includes(hypervisor));
  return urnsOn(
    resources,
    names,
    nodes.map(({ name }) => name),
  );
}

/** Arguments and environment of a run that leaves unreachable hypervisors as they are. */
export function exclusionOf(
  { unreachable }: Fleet,
  { hypervisors }: Pick<Settings, "hypervisors">,
  urns: readonly string[],
): { readonly args: readonly string[]; readonly environment: Readonly<Record<string, string>> } {
  const fromSettings = hypervisors.map(({ name }) => name);
  const known = namesOf(unreachable).filter((name) => fromSettings.includes(name));
  return {
    args: [
      // If a host fails during the run, only its own nodes fail.
      ...(hypervisors.length > 0 ? ["--continue-on-error"] : []),
      ...urns.flatMap((urn) => ["--exclude", urn]),
    ],
    environment: known.length === 0 ? {} : { [unreachableVariable]: known.join(",") },
  };
}

export function leftText(
  unreachable: readonly UnreachableHost[],
  settings: Pick<Settings, "nodes" | "linuxNodes">,
): string {
  const lines = unreachable.map((one) => {
    const there = machineNodes(settings).filter(({ hypervisor }) => hypervisor === one.name);
    const left = there.map(({ name }) => name).join(", ");
    const what = left ? `left as they are: ${left}` : "what the lab has there is left as it is";
    return `${unreachableText(one)}; ${what}`;
  });
  return lines.join("\n");
}

/** @throws Failure if a part of the lab cannot be removed, because its hypervisor does not answer. */
export function assertAllReachable({ unreachable }: Fleet, stack: string): void {
  if (unreachable.length > 0) {
    const names = namesOf(unreachable).join(",");
    throw new Failure(
      `${unreachable.map(unreachableText).join("\n")}\nWhat the lab has there cannot be removed; nothing was. Run again when it is ` +
        `back or, when it is gone for good, \`${goneVariable}=${names} kindows down --stack ${stack}\``,
    );
  }
}

const reachSeconds = 15;

/**
 * The known hypervisors, and those that only the state has.
 *
 * @throws Failure if an earlier version's state has no facts.
 */
export function hypervisorsOf(
  resources: readonly StateResource[],
  known: readonly RemoteHost[],
): readonly RemoteHost[] {
  const hosts = new Map(known.map((host) => [host.name, host]));
  try {
    const storages = new StackFacts(resources).of("kindows:machine:MachineStorage").values();
    for (const { hypervisor } of storages) {
      if (hypervisor && !hosts.has(hypervisor.name)) hosts.set(hypervisor.name, hypervisor);
    }
  } catch (error) {
    // One of the providers is this host's.
    const providers = resources.filter(({ type }) => type === "pulumi:providers:libvirt");
    if (providers.length > 1 + known.length) throw error;
  }
  return [...hosts.values()];
}

interface UnreachableHost extends RemoteHost {
  readonly reason: string;
}

export async function unreachableAmong(
  hosts: readonly RemoteHost[],
  ask: (uri: string) => ReturnType<typeof runVirsh> = (uri) => runVirsh(uri, ["uri"], reachSeconds),
): Promise<UnreachableHost[]> {
  const unreachable = hosts.map(async (host) => {
    const { how, reason } = await ask(host.virshUri);
    // virsh prints two lines: that it failed, and why.
    const line = reason.replace(/^error: /gm, "").replace(/\s*\n/g, ": ");
    return how === "well" ? [] : [{ ...host, reason: line }];
  });
  return (await Promise.all(unreachable)).flat();
}

export function unreachableText({ name, uri, reason }: UnreachableHost): string {
  return `the hypervisor ${name} (${uri}) does not answer: ${reason}`;
}

/**
 * URNs of everything in a stack's state that belongs to these hypervisors: their providers and resources, and
 * all resources of the nodes there.
 *
 * @param nodes names of the nodes that the settings place on them.
 */
export function urnsOn(
  resources: readonly StateResource[],
  hypervisors: readonly string[],
  nodes: readonly string[] = [],
): readonly string[] {
  const facts = new StackFacts(resources);
  const hosts = [
    ...[...facts.of("kindows:machine:MachineStorage")].map(
      ([urn, { hypervisor }]) => [urn, hypervisor?.name ?? ""] as const,
    ),
    ...[...facts.of("kindows:network:FabricHost")].map(([urn, { host }]) => [urn, host] as const),
  ];
  const components = hosts.flatMap(([urn, name]) => (hypervisors.includes(name) ? [urn] : []));
  const isOfHost = (urn: string): boolean =>
    facts.chain(urn).some((one) => components.includes(one.urn));
  const providers = new Set(
    resources
      .filter(({ urn, type }) => type.startsWith("libvirt:") && isOfHost(urn))
      .flatMap((resource) => providerUrn(resource) ?? []),
  );
  const isProvided = (resource: StateResource): boolean =>
    providers.has(providerUrn(resource) ?? "");
  // What counts is where a machine is, not where the settings place it.
  const nodesThere = new Set([
    ...nodes,
    ...resources.filter(isProvided).map(({ urn }) => facts.nodeOf(urn)),
  ]);
  return resources
    .filter(
      (resource) =>
        providers.has(resource.urn) ||
        isProvided(resource) ||
        isOfHost(resource.urn) ||
        nodesThere.has(facts.nodeOf(resource.urn) ?? ""),
    )
    .map(({ urn }) => urn);
}
