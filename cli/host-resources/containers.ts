import * as z from "zod";

import { clusterLabel, kindContainers, roleLabel } from "../../config/names.ts";
import { actionParameter } from "../../components/host-action/action-parameter.ts";
import { lines, type Host } from "../../host/host.ts";
import {
  isLabPrefix,
  stopIn,
  type HostResource,
  type ResourceKind,
} from "../../components/host-resource.ts";

export interface Container extends HostResource {
  /** kind's name for its role: `control-plane`, `worker`, `external-load-balancer`. */
  readonly role: string;
}

const kind = "docker container";

async function find(host: Host): Promise<readonly Container[]> {
  const listed = await host.run("docker", [
    ...["ps", "--all", "--no-trunc", "--filter", `label=${clusterLabel}`],
    ...["--format", `{{.Names}} {{.State}} {{.Label "${clusterLabel}"}} {{.Label "${roleLabel}"}}`],
  ]);
  // Sorted, because Docker gives the lowest free address to the first container that starts: the control plane must.
  return [...lines(listed)].sort().flatMap((line) => {
    const [name = "", state = "", lab = "", role = ""] = line.split(" ");
    return isLabPrefix(lab) ? [{ kind, name, lab, state, role, identity: `${kind} ${name}` }] : [];
  });
}

const clusterSchema = z.object({ name: z.string(), controlPlanes: z.literal([1, 3]) });
const workerSchema = z.object({ name: z.string() });

export const containers: ResourceKind<Container> = {
  kind,
  find,

  remove: async ({ name }, host) => {
    await host.run("docker", ["rm", "--force", "--volumes", name]);
  },

  byHand: ({ name }) => `docker rm --force --volumes ${name}`,

  /** From the inputs of host actions, which are right even if a run was killed before it changed a component. */
  owned: byHostActions((resource, component) => {
    const names =
      component === "kindows:controlplane:LinuxWorker"
        ? [actionParameter(resource, "WORKER", workerSchema).name]
        : clustersMadeBy(resource, component).flatMap(({ name, controlPlanes }) =>
            kindContainers(name, controlPlanes),
          );
    return names.map((name) => ({ identity: `${kind} ${name}`, essential: true }));
  }),

  stops: [
    stopIn("exited", { kind, find }, async (host, name) => {
      await host.run("docker", ["start", name]);
    }),
    stopIn("paused", { kind: `paused ${kind}`, find }, async (host, name) => {
      await host.run("docker", ["unpause", name]);
    }),
  ],
};

type OwnedBy = NonNullable<ResourceKind["owned"]>[string];

/** Uses `owned` for both types of a host action: one that a refresh checks has a type of its own. */
export function byHostActions(owned: OwnedBy): ResourceKind["owned"] {
  return { "command:local:Command": owned, "kindows:host:Action": owned };
}

/** The kind cluster that a host action has created; other actions only wait for it. */
export function clustersMadeBy(
  ...[resource, component]: Parameters<OwnedBy>
): z.infer<typeof clusterSchema>[] {
  return component === "kindows:controlplane:KindCluster" && resource.deletedWith === undefined
    ? [actionParameter(resource, "CLUSTER", clusterSchema)]
    : [];
}

/** The Linux nodes of a lab, running or not, without its load balancer. */
export async function kindNodes(host: Host, lab: string): Promise<readonly Container[]> {
  return (await find(host)).filter(
    (each) => each.lab === lab && ["control-plane", "worker"].includes(each.role),
  );
}
