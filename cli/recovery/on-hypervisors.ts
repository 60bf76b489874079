import { NodesByResource } from "../nodes-by-resource.ts";
import type { StateResource } from "./deployment.ts";

/**
 * URNs of everything in a stack's state that belongs to some further hypervisors: their providers, what these made, and
 * all that was done for the nodes there.
 *
 * @param hypervisors their names.
 * @param nodes names of the nodes that the settings place on them.
 * @param others names of the settings' other nodes.
 */
export function urnsOn(
  resources: readonly StateResource[],
  hypervisors: readonly string[],
  nodes: readonly string[] = [],
  others: readonly string[] = [],
): readonly string[] {
  const providers = new Set(
    resources
      .filter(({ type }) => type === "pulumi:providers:libvirt")
      .map(({ urn }) => urn)
      .filter((urn) => hypervisors.some((name) => nameOf(urn) === `hypervisor-${name}`)),
  );
  const isTheirs = ({ provider }: StateResource): boolean =>
    providers.has(provider?.slice(0, provider.lastIndexOf("::")) ?? "");
  const machines = resources.filter(({ type }) => type === "libvirt:index/domain:Domain");
  // Where a machine is counts, not where the settings would have it.
  const away = new Set([...nodes, ...machines.filter(isTheirs).map(({ urn }) => nameOf(urn))]);
  const byName = new NodesByResource([
    ...new Set([...away, ...others, ...machines.map(({ urn }) => nameOf(urn))]),
  ]);
  const own = new Set(
    hypervisors
      .flatMap((name) => [`machines-${name}`, `linux-machines-${name}`])
      .flatMap((storage) => [storage, `${storage}-images`]),
  );
  return resources
    .filter(
      (resource) =>
        providers.has(resource.urn) ||
        isTheirs(resource) ||
        own.has(nameOf(resource.urn)) ||
        away.has(byName.nodeOrMachineOf(nameOf(resource.urn)) ?? ""),
    )
    .map(({ urn }) => urn);
}

function nameOf(urn: string): string {
  return urn.split("::").at(-1) ?? "";
}
