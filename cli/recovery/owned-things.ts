import * as z from "zod";

import { kindContainers } from "../../config/names.ts";
import { actionParameter, type StateResource } from "../engine/deployment.ts";

/** A thing on the host that a resource in the state stands for. */
export interface OwnedThing {
  /** As `LabThing.identity` has it. */
  readonly identity: string;
  readonly urn: string;
  /** Whether the resource is gone when the thing is; others come and go with the thing. */
  readonly essential: boolean;
}

type Identities = (
  resource: StateResource,
  /** Type of the component it is in. */
  component: string | undefined,
) => readonly Omit<OwnedThing, "urn">[];

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
  // A golden image that was followed by another one is only known by the disks that stand on it.
  "libvirt:index/volume:Volume": ({ id, inputs }) => [
    essential(`libvirt volume ${id}`),
    ...(typeof inputs?.["baseVolumeId"] === "string"
      ? [accessory(`libvirt volume ${inputs["baseVolumeId"]}`)]
      : []),
  ],
  // Its id is the volume's with a random part, so that a new disk of the same name is a new resource.
  "libvirt:index/cloudinitDisk:CloudinitDisk": ({ id }) => [
    essential(`libvirt volume ${id?.split(";")[0]}`),
  ],
  "docker:index/network:Network": ({ id }) => [essential(`docker network ${id}`)],
  "command:local:Command": containersOf,
};

const clusterSchema = z.object({ name: z.string(), controlPlanes: z.literal([1, 3]) });
const workerSchema = z.object({ name: z.string() });

/**
 * Containers are made by host actions, whose parameters say which: what is recorded there is what was made, also where a
 * run was killed before the component that asks for something else by now got it.
 */
function containersOf(
  resource: StateResource,
  component: string | undefined,
): ReturnType<Identities> {
  // What goes with the cluster only waits for it.
  if (component === "kindows:controlplane:KindCluster" && resource.deletedWith === undefined) {
    const { name, controlPlanes } = actionParameter(resource, "CLUSTER", clusterSchema);
    return [
      ...kindContainers(name, controlPlanes).map((each) => essential(`docker container ${each}`)),
      accessory(`kind cluster ${name}`),
    ];
  }
  if (component === "kindows:controlplane:LinuxWorker") {
    const { name } = actionParameter(resource, "WORKER", workerSchema);
    return [essential(`docker container ${name}`)];
  }
  return [];
}

/** Everything on the host that the state knows of. */
export function ownedThings(resources: readonly StateResource[]): readonly OwnedThing[] {
  const types = new Map(resources.map(({ urn, type }) => [urn, type]));
  return resources.flatMap((resource) =>
    (identitiesByType[resource.type]?.(resource, types.get(resource.parent ?? "")) ?? []).map(
      (thing) => ({ ...thing, urn: resource.urn }),
    ),
  );
}
