import * as z from "zod";

import { clusterLabel, kindContainers, roleLabel } from "../../config/names.ts";
import { actionParameter } from "../../components/host-action/action-parameter.ts";
import { lines, type Host } from "../../host/host.ts";
import {
  addressesOf,
  isMisplaced,
  startWithAddresses,
} from "../../components/controlplane/kept-addresses.ts";
import {
  isLabPrefix,
  runningOf,
  stopIn,
  type HostResource,
  type Stop,
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
  // Sorted: Docker gives the lowest free address to the first that starts and has none of its own, the control plane.
  return [...lines(listed)].sort().flatMap((line) => {
    const [name = "", state = "", lab = "", role = ""] = line.split(" ");
    return isLabPrefix(lab) ? [{ kind, name, lab, state, role, identity: `${kind} ${name}` }] : [];
  });
}

const clusterSchema = z.object({ name: z.string(), controlPlanes: z.literal([1, 3]) });
const workerSchema = z.object({ name: z.string() });

/** Containers at another address than they had. */
const misplaced: Stop = {
  kind: `misplaced ${kind}`,
  verb: ["restart", "restarted"],
  find: async (host, lab) => {
    const running = runningOf(await find(host), lab).map(({ name }) => name);
    return (await addressesOf(dockerOf(host), running))
      .filter(isMisplaced)
      .map(({ name, current, kept }) => ({
        name,
        seen: `it has the address ${current}, and had ${kept}`,
      }));
  },
  start: startedAgain,
};

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
    stopIn("exited", { kind, find }, startedAgain),
    stopIn("paused", { kind: `paused ${kind}`, find }, async (host, name) => {
      await host.run("docker", ["unpause", name]);
    }),
    misplaced,
  ],
};

const dockerOf = (host: Host) => (args: readonly string[]) => host.run("docker", args);

/** Each container of a cluster keeps its address, which another one may have by now. */
async function startedAgain(host: Host, name: string, lab: string): Promise<void> {
  const all = (await find(host)).filter((each) => each.lab === lab).map((each) => each.name);
  await startWithAddresses(dockerOf(host), all, [name], () => undefined);
}

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
