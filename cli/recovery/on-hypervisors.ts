import { StackFacts } from "../engine/facts.ts";
import { providerUrn, type StateResource } from "../engine/deployment.ts";

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
