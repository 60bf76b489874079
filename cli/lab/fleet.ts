import { goneVariable } from "../../components/machine/existing/machine-parameter.ts";
import { hypervisorConnections } from "../../components/machine/libvirt/hypervisor-connections.ts";
import { namesIn } from "../../config/names-list.ts";
import { machineNodes, type Settings } from "../../config/settings.ts";
import { Failure } from "../../host/failure.ts";
import { runVirsh } from "../../host/virsh.ts";
import { awayVariable } from "../../stacks/away.ts";
import { providerUrn, resourcesOf, type StateResource } from "../engine/deployment.ts";
import { StackFacts } from "../engine/facts.ts";
import { readStateFile } from "../engine/state-file.ts";
import type { RemoteHost } from "./host.ts";

/** The further hypervisors of a lab, as they are before a run; both empty for most labs. */
export interface Fleet {
  /** Those that answer. */
  readonly present: readonly RemoteHost[];
  /** Those that do not, and are not said to be gone for good. */
  readonly away: readonly AwayHost[];
}

/**
 * Asks the hypervisors of the settings, and those the stack has things on. One that `KINDOWS_GONE` names is gone for
 * good: nobody is asked about it, and what the state has there counts as gone.
 *
 * @param settings undefined when they are wrong, and a lab has to go nevertheless.
 */
export async function fleetOf(stack: string, settings: Settings | undefined): Promise<Fleet> {
  const state = await readStateFile(stack);
  const gone = namesIn(process.env[goneVariable]);
  const said = namesIn(process.env[awayVariable]);
  const known = settings === undefined ? [] : hypervisorsIn(settings);
  const all = together([...known, ...hypervisorsOf(resourcesOf(state), known)]).filter(
    ({ name }) => !gone.includes(name),
  );
  const away = [
    ...all
      .filter(({ name }) => said.includes(name))
      .map((host) => ({ ...host, reason: `${awayVariable} says so` })),
    ...(await awayAmong(all.filter(({ name }) => !said.includes(name)))),
  ];
  return {
    present: all.filter(({ name }) => !away.some((one) => one.name === name)),
    away,
  };
}

/** Everything of the state that is on hypervisors which are away. */
export async function urnsAway(
  stack: string,
  { away }: Fleet,
  settings: Settings,
): Promise<readonly string[]> {
  const state = away.length === 0 ? undefined : await readStateFile(stack);
  const names = away.map(({ name }) => name);
  return urnsOn(
    resourcesOf(state),
    names,
    machineNodes(settings)
      .filter(({ hypervisor }) => names.includes(hypervisor))
      .map(({ name }) => name),
  );
}

/** What the engine and the program are told so that what is away stays as it is. */
export function leavingAway(
  { away }: Fleet,
  { hypervisors }: Pick<Settings, "hypervisors">,
  urns: readonly string[],
): { readonly args: readonly string[]; readonly environment: Readonly<Record<string, string>> } {
  const known = away.filter(({ name }) => hypervisors.some((one) => one.name === name));
  return {
    args: [
      // A host that goes away in the middle takes only its own nodes along.
      ...(hypervisors.length > 0 ? ["--continue-on-error"] : []),
      ...urns.flatMap((urn) => ["--exclude", urn]),
    ],
    environment:
      known.length === 0 ? {} : { [awayVariable]: known.map(({ name }) => name).join(",") },
  };
}

/** Which nodes were left as they are, and because of whom. */
export function leftText(
  away: readonly AwayHost[],
  settings: Pick<Settings, "nodes" | "linuxNodes">,
): string {
  const lines = away.map((one) => {
    const there = machineNodes(settings).filter(({ hypervisor }) => hypervisor === one.name);
    const left =
      there.length === 0
        ? "what the lab has there is left as it is"
        : `left as they are: ${there.map(({ name }) => name).join(", ")}`;
    return `${awayText(one)}; ${left}`;
  });
  return lines.join("\n");
}

/** @throws Failure when something of the lab cannot be removed, as its hypervisor does not answer. */
export function assertAllPresent({ away }: Fleet, stack: string): void {
  if (away.length > 0) {
    const names = away.map(({ name }) => name).join(",");
    throw new Failure(
      `${away.map(awayText).join("\n")}\nWhat the lab has there cannot be removed; nothing was. Run again when it is ` +
        `back or, when it is gone for good, \`${goneVariable}=${names} kindows down --stack ${stack}\``,
    );
  }
}

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

/**
 * URNs of everything in a stack's state that belongs to some further hypervisors: their providers, what these made, and
 * all that was done for the nodes there.
 *
 * @param hypervisors their names.
 * @param nodes names of the nodes that the settings place on them.
 * @throws Failure when the state does not say what belongs to which hypervisor.
 */
export function urnsOn(
  resources: readonly StateResource[],
  hypervisors: readonly string[],
  nodes: readonly string[] = [],
): readonly string[] {
  const facts = new StackFacts(resources);
  const storages = new Set(
    [...facts.of("kindows:machine:MachineStorage")]
      .filter(([, { hypervisor }]) => hypervisors.includes(hypervisor?.name ?? ""))
      .map(([urn]) => urn),
  );
  const isStored = (urn: string): boolean => facts.chain(urn).some((one) => storages.has(one.urn));
  const providers = new Set(
    resources
      .filter(({ urn, type }) => type.startsWith("libvirt:") && isStored(urn))
      .flatMap((resource) => providerUrn(resource) ?? []),
  );
  const isMade = (resource: StateResource): boolean => providers.has(providerUrn(resource) ?? "");
  // Where a machine is counts, not where the settings would have it.
  const away = new Set([...nodes, ...resources.filter(isMade).map(({ urn }) => facts.nodeOf(urn))]);
  return resources
    .filter(
      (resource) =>
        providers.has(resource.urn) ||
        isMade(resource) ||
        isStored(resource.urn) ||
        away.has(facts.nodeOf(resource.urn) ?? ""),
    )
    .map(({ urn }) => urn);
}
