import * as z from "zod";

import { endpointHost, firstControlPlane } from "../../components/controlplane/cluster-names.ts";
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

const commandSchema = z.object({
  create: z.string().optional(),
  environment: z.record(z.string(), z.unknown()).optional(),
});

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
  // Containers are made by host actions; what they make is in the action's parameters.
  "command:local:Command": (resource) => [...clusterThings(resource), ...workerThings(resource)],
};

const clusterSchema = z.object({
  name: z.string(),
  controlPlanes: z.union([z.literal(1), z.literal(3)]),
});
const workerSchema = z.object({ name: z.string(), cluster: z.string() });

function clusterThings(resource: StateResource): ReturnType<Identities> {
  const cluster = parameterOf(resource, "create-kind-cluster.ts", "CLUSTER", clusterSchema);
  if (cluster === undefined) {
    return [];
  }
  const { name, controlPlanes } = cluster;
  const containers = [
    ...Array.from({ length: controlPlanes }, (_, index) =>
      index === 0 ? firstControlPlane(name) : `${firstControlPlane(name)}${index + 1}`,
    ),
    ...(controlPlanes === 1 ? [] : [endpointHost(name, controlPlanes)]),
  ];
  return [
    ...containers.map((container) => essential(`docker container ${container}`)),
    accessory(`kind cluster ${name}`),
  ];
}

function workerThings(resource: StateResource): ReturnType<Identities> {
  const worker = parameterOf(resource, "add-linux-worker.ts", "WORKER", workerSchema);
  return worker === undefined ? [] : [essential(`docker container ${worker.name}`)];
}

/** The JSON parameter of a host action; nothing when the resource runs another one. */
function parameterOf<T>(
  resource: StateResource,
  action: string,
  variable: string,
  schema: z.ZodType<T>,
): T | undefined {
  const { create, environment } = commandSchema.safeParse(resource.inputs).data ?? {};
  if (create === undefined || !create.includes(action)) {
    return undefined;
  }
  const text = environment?.[variable];
  return typeof text === "string" ? schema.parse(JSON.parse(text)) : undefined;
}

/** Everything on the host that the state knows of. */
export function ownedThings(resources: readonly StateResource[]): readonly OwnedThing[] {
  return resources.flatMap((resource) =>
    (identitiesByType[resource.type]?.(resource) ?? []).map((thing) => ({
      ...thing,
      urn: resource.urn,
    })),
  );
}
