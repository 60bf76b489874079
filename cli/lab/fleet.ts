import { goneVariable, isGone } from "../../components/machine/existing/machine-parameter.ts";
import { hypervisorConnections } from "../../components/machine/libvirt/hypervisor-connections.ts";
import { namesIn } from "../../config/names.ts";
import { machineNodes, type Settings } from "../../config/settings.ts";
import { Failure } from "../../host/failure.ts";
import { runVirsh } from "../../host/virsh.ts";
import { unreachableVariable } from "../../stacks/reachable-nodes.ts";
import { providerUrn, resourcesOf, type StateResource } from "../engine/deployment.ts";
import { StackFacts } from "../engine/facts.ts";
import { readState } from "../engine/states.ts";
import type { RemoteHost } from "../../host/host.ts";

/** The further hypervisors of a lab before a run; both lists are empty for most labs. */
export interface Fleet {
  readonly reachable: readonly RemoteHost[];
  /** Those that do not answer, and that `KINDOWS_GONE` does not name. */
  readonly unreachable: readonly UnreachableHost[];
}

/**
 * Contacts the hypervisors of the settings and of the stack's state. One that `KINDOWS_GONE` names is not contacted, and
 * what the state has there counts as gone.
 *
 * @param settings undefined if they are wrong and the lab is to be removed.
 */
export async function fleetOf(stack: string, settings: Settings | undefined): Promise<Fleet> {
  const state = await readState(stack);
  const said = namesIn(process.env[unreachableVariable]);
  const known = settings === undefined ? [] : hypervisorsIn(settings);
  const all = together([...known, ...hypervisorsOf(resourcesOf(state), known)]).filter(
    ({ name }) => !isGone(name),
  );
  const unreachable = [
    ...all
      .filter(({ name }) => said.includes(name))
      .map((host) => ({ ...host, reason: `${unreachableVariable} says so` })),
    ...(await unreachableAmong(all.filter(({ name }) => !said.includes(name)))),
  ];
  return {
    reachable: all.filter(({ name }) => !unreachable.some((one) => one.name === name)),
    unreachable,
  };
}

/** Everything of the state that is on hypervisors that are unreachable. */
export async function unreachableUrns(
  stack: string,
  { unreachable }: Fleet,
  settings: Settings,
): Promise<readonly string[]> {
  const state = unreachable.length === 0 ? undefined : await readState(stack);
  const names = unreachable.map(({ name }) => name);
  return urnsOn(
    resourcesOf(state),
    names,
    machineNodes(settings)
      .filter(({ hypervisor }) => names.includes(hypervisor))
      .map(({ name }) => name),
  );
}

/** Arguments and environment of a run that leaves unreachable hypervisors as they are. */
export function exclusionOf(
  { unreachable }: Fleet,
  { hypervisors }: Pick<Settings, "hypervisors">,
  urns: readonly string[],
): { readonly args: readonly string[]; readonly environment: Readonly<Record<string, string>> } {
  const known = unreachable.filter(({ name }) => hypervisors.some((one) => one.name === name));
  return {
    args: [
      // If a host fails in the middle, only its own nodes fail.
      ...(hypervisors.length > 0 ? ["--continue-on-error"] : []),
      ...urns.flatMap((urn) => ["--exclude", urn]),
    ],
    environment:
      known.length === 0 ? {} : { [unreachableVariable]: known.map(({ name }) => name).join(",") },
  };
}

/** Names the nodes that were left as they are, and their unreachable hypervisors. */
export function leftText(
  unreachable: readonly UnreachableHost[],
  settings: Pick<Settings, "nodes" | "linuxNodes">,
): string {
  const lines = unreachable.map((one) => {
    const there = machineNodes(settings).filter(({ hypervisor }) => hypervisor === one.name);
    const left =
      there.length === 0
        ? "what the lab has there is left as it is"
        : `left as they are: ${there.map(({ name }) => name).join(", ")}`;
    return `${unreachableText(one)}; ${left}`;
  });
  return lines.join("\n");
}

/** @throws Failure when something of the lab cannot be removed, as its hypervisor does not answer. */
export function assertAllReachable({ unreachable }: Fleet, stack: string): void {
  if (unreachable.length > 0) {
    const names = unreachable.map(({ name }) => name).join(",");
    throw new Failure(
      `${unreachable.map(unreachableText).join("\n")}\nWhat the lab has there cannot be removed; nothing was. Run again when it is ` +
        `back or, when it is gone for good, \`${goneVariable}=${names} kindows down --stack ${stack}\``,
    );
  }
}

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
 * Hypervisors in the stack's state, which may no longer be in the settings.
 *
 * @param known those of the settings.
 * @throws Failure if an earlier version has written a state with more of them, as it does not say which.
 */
export function hypervisorsOf(
  resources: readonly StateResource[],
  known: readonly RemoteHost[],
): readonly RemoteHost[] {
  try {
    const storages = new StackFacts(resources).of("kindows:machine:MachineStorage").values();
    return [...storages].flatMap(({ hypervisor }) => hypervisor ?? []);
  } catch (error) {
    // One of them is this host's.
    const providers = resources.filter(({ type }) => type === "pulumi:providers:libvirt");
    if (providers.length > 1 + known.length) throw error;
    return [];
  }
}

/** All of them without duplicates; the first one counts. */
export function together(hosts: readonly RemoteHost[]): readonly RemoteHost[] {
  return hosts.filter(({ name }, at) => hosts.findIndex((one) => one.name === name) === at);
}

/** A hypervisor that does not answer. */
export interface UnreachableHost extends RemoteHost {
  readonly reason: string;
}

/** Those that do not answer; asks all in parallel, for some seconds at most. */
export async function unreachableAmong(
  hosts: readonly RemoteHost[],
  ask: (uri: string) => ReturnType<typeof runVirsh> = (uri) => runVirsh(uri, ["uri"], reachSeconds),
): Promise<UnreachableHost[]> {
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
export function unreachableText({ name, uri, reason }: UnreachableHost): string {
  return `the hypervisor ${name} (${uri}) does not answer: ${reason}`;
}

/**
 * URNs of everything in a stack's state that belongs to some further hypervisors: their providers and resources, and all
 * resources of the nodes there.
 *
 * @param hypervisors their names.
 * @param nodes names of the nodes that the settings place on them.
 * @throws Failure if the state does not say what belongs to which hypervisor.
 */
export function urnsOn(
  resources: readonly StateResource[],
  hypervisors: readonly string[],
  nodes: readonly string[] = [],
): readonly string[] {
  const facts = new StackFacts(resources);
  const components = new Set(
    [
      ...[...facts.of("kindows:machine:MachineStorage")].map(
        ([urn, { hypervisor }]) => [urn, hypervisor?.name] as const,
      ),
      ...[...facts.of("kindows:network:FabricHost")].map(([urn, { host }]) => [urn, host] as const),
    ]
      .filter(([, name]) => hypervisors.includes(name ?? ""))
      .map(([urn]) => urn),
  );
  const isOfHost = (urn: string): boolean =>
    facts.chain(urn).some((one) => components.has(one.urn));
  const providers = new Set(
    resources
      .filter(({ urn, type }) => type.startsWith("libvirt:") && isOfHost(urn))
      .flatMap((resource) => providerUrn(resource) ?? []),
  );
  const isMade = (resource: StateResource): boolean => providers.has(providerUrn(resource) ?? "");
  // What counts is where a machine is, not where the settings place it.
  const nodesThere = new Set([
    ...nodes,
    ...resources.filter(isMade).map(({ urn }) => facts.nodeOf(urn)),
  ]);
  return resources
    .filter(
      (resource) =>
        providers.has(resource.urn) ||
        isMade(resource) ||
        isOfHost(resource.urn) ||
        nodesThere.has(facts.nodeOf(resource.urn) ?? ""),
    )
    .map(({ urn }) => urn);
}
