import { messageOf, throwAll } from "../../host/failure.ts";
import type { StateResource } from "../engine/deployment.ts";
import type { Host } from "../../host/host.ts";
import { labFiles } from "../lab/access.ts";
import { addressReservations } from "./address-reservations.ts";
import { containers } from "./containers.ts";
import { machineResources } from "../../components/machine/machine-makers.ts";
import { kubeconfigEntries } from "./kubeconfig-entries.ts";
import { bridges, dockerNetworks, libvirtNetworks } from "./networks.ts";
import { networkFabrics } from "./network-fabrics.ts";
import { processes } from "./processes.ts";
import { registries, registryVolumes } from "./registries.ts";
import type { HostResource, Owned, ResourceKind } from "../../components/host-resource.ts";

/** Kinds of host resources in the order of removal: each before those it uses. */
export const resourceKinds: readonly ResourceKind[] = [
  processes,
  ...(await machineResources()),
  containers,
  registries,
  registryVolumes,
  networkFabrics(),
  dockerNetworks,
  libvirtNetworks,
  addressReservations,
  bridges,
  kubeconfigEntries,
  labFiles,
];

export interface Survey<T> {
  readonly found: readonly T[];
  /** Kinds that could not be listed, and why. */
  readonly unlisted: readonly { readonly kind: string; readonly reason: string }[];
}

export const surveyHost = (host: Host, kinds = resourceKinds): Promise<Survey<HostResource>> =>
  lookFor(kinds, (kind) => kind.find(host));

export async function lookFor<K extends { readonly kind: string }, T>(
  kinds: readonly K[],
  find: (kind: K) => Promise<readonly T[]>,
): Promise<Survey<T>> {
  const unlisted: { kind: string; reason: string }[] = [];
  const found = await Promise.all(
    kinds.map((each) =>
      find(each).catch((error: unknown) => {
        unlisted.push({ kind: each.kind, reason: messageOf(error) });
        return [];
      }),
    ),
  );
  return { found: found.flat(), unlisted };
}

/** Command with which a person removes a resource that the survey has found. */
export function byHandOf(resource: HostResource, host: Host): string {
  const kind = resourceKinds.find((each) => each.kind === resource.kind);
  return kind?.byHand(resource, host) ?? "";
}

interface OwnedResource extends Owned {
  readonly urn: string;
}

export function ownedResources(resources: readonly StateResource[]): readonly OwnedResource[] {
  const types = new Map(resources.map(({ urn, type }) => [urn, type]));
  return resources.flatMap((resource) =>
    resourceKinds
      .flatMap(({ owned = {} }) =>
        // A damaged state may have any text as a type.
        Object.hasOwn(owned, resource.type)
          ? (owned[resource.type]?.(resource, types.get(resource.parent ?? "")) ?? [])
          : [],
      )
      .map((each) => ({ ...each, urn: resource.urn })),
  );
}

export function ownedIdentities(resources: readonly StateResource[]): ReadonlySet<string> {
  return new Set(ownedResources(resources).map(({ identity }) => identity));
}

export interface CleanupScope {
  readonly lab: string;
  readonly owned: ReadonlySet<string>;
  /** A survey that was just made. Default: a new one. */
  readonly survey?: Survey<HostResource>;
}

/**
 * Removes a lab's orphans, i.e. what nothing in the stack's state owns, in the order of kinds: machines before the
 * disks and networks they use. Each kind is listed again, since removing one may remove another.
 *
 * @throws if something could not be listed or removed, after everything else was.
 */
export async function removeOrphans(
  { lab, owned, survey }: CleanupScope,
  host: Host,
  say: (line: string) => void,
  kinds: readonly ResourceKind[] = resourceKinds,
): Promise<void> {
  const isLeft = (each: HostResource): boolean =>
    each.lab === lab &&
    each.isOurs !== false &&
    (each.identity === undefined || !owned.has(each.identity));
  const before = survey ?? (await surveyHost(host, kinds));
  if (before.unlisted.length === 0 && !before.found.some(isLeft)) return;
  const troubles: string[] = [];
  for (const kind of kinds) {
    const found = await kind.find(host).catch((error: unknown) => {
      troubles.push(`cannot look for ${kind.kind} resources: ${messageOf(error)}`);
      return [];
    });
    await Promise.all(
      found.filter(isLeft).map((each) =>
        kind.remove(each, host).then(
          () => say(`removed ${each.kind} ${each.name}`),
          (error: unknown) =>
            troubles.push(`cannot remove ${each.kind} ${each.name}: ${messageOf(error)}`),
        ),
      ),
    );
  }
  throwAll(`orphans of the lab ${lab} remain`, troubles);
}
