import type { StateResource } from "./deployment.ts";

/** A thing on the host that a resource in the state stands for. */
export interface OwnedThing {
  /** As `LabThing.identity` has it. */
  readonly identity: string;
  readonly urn: string;
  /** Whether the resource is gone when the thing is; others come and go with the thing. */
  readonly essential: boolean;
}

type Identities = (resource: StateResource) => readonly Omit<OwnedThing, "urn">[];

const essential = (identity: string): Omit<OwnedThing, "urn"> => ({ identity, essential: true });
const accessory = (identity: string): Omit<OwnedThing, "urn"> => ({ identity, essential: false });

/** How a resource's type says which thing it is. libvirt's and Docker's ids are those the finders see. */
const identitiesByType: Readonly<Record<string, Identities>> = {
  "libvirt:index/domain:Domain": ({ id }) => [essential(`libvirt domain ${id}`)],
  "libvirt:index/network:Network": ({ id, outputs }) => [
    essential(`libvirt network ${id}`),
    accessory(`bridge ${String(outputs?.["bridge"])}`),
  ],
  "libvirt:index/pool:Pool": ({ id }) => [essential(`libvirt pool ${id}`)],
  "libvirt:index/volume:Volume": ({ id }) => [essential(`libvirt volume ${id}`)],
  // Its id is the volume's with a random part, so that a new disk of the same name is a new resource.
  "libvirt:index/cloudinitDisk:CloudinitDisk": ({ id }) => [
    essential(`libvirt volume ${id?.split(";")[0]}`),
  ],
  "docker:index/network:Network": ({ id }) => [essential(`docker network ${id}`)],
};

/** Everything on the host that the state knows of. */
export function ownedThings(resources: readonly StateResource[]): readonly OwnedThing[] {
  return resources.flatMap((resource) =>
    (identitiesByType[resource.type]?.(resource) ?? []).map((thing) => ({
      ...thing,
      urn: resource.urn,
    })),
  );
}
