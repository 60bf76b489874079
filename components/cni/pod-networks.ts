import type { NodeStep } from "../windows/node-step.ts";
import { calico } from "./calico/definition.ts";
import { flannel } from "./flannel/definition.ts";
import { kindDefault } from "./kind-default.ts";
import { ovnKubernetes } from "./ovn-kubernetes/definition.ts";
import { yourOwn } from "./your-own.ts";
import type { PodNetworkDefinition, PodNetworkInExisting, PodNetworkSteps } from "./pod-network.ts";

/** Pod networks that a lab can have, by `kindows:cni.kind`. */
export const podNetworks = { calico, flannel, "kind-default": kindDefault, none: yourOwn } as const;

export type PodNetworkName = keyof typeof podNetworks;

/** Whether the user installs the pod network, so that nothing waits for nodes to be Ready. */
export function isYours(name: PodNetworkName): boolean {
  return podNetworks[name].linuxNodes === "yours";
}

/** Pod networks that only existing clusters can have. */
const onlyExisting = { "ovn-kubernetes": ovnKubernetes } as const;

const all = { ...podNetworks, ...onlyExisting };

const definitions = Object.entries<PodNetworkDefinition>(all);

/** Undefined for a name that is no pod network, such as `none`. */
export function podNetworkNamed(name: string): PodNetworkDefinition | undefined {
  return definitions.find(([each]) => each === name)?.[1];
}

/** Pod networks that existing clusters can have, by name. */
export const inExisting: ReadonlyMap<string, PodNetworkInExisting> = new Map(
  definitions.flatMap(([name, { existing }]) =>
    existing === undefined ? [] : [[name, existing] as const],
  ),
);

/** Steps of each pod network, without values on nodes that have another one, so that they are skipped there. */
const steps = definitions.map(([kind, { nodeSteps }]) => {
  const only = (step: NodeStep): NodeStep => ({
    ...step,
    values: (node) => (node.setup.podNetwork.kind === kind ? step.values(node) : undefined),
  });
  return { beforeJoin: nodeSteps.beforeJoin.map(only), afterJoin: nodeSteps.afterJoin.map(only) };
});

export const podNetworkSteps: PodNetworkSteps = {
  beforeJoin: steps.flatMap(({ beforeJoin }) => beforeJoin),
  afterJoin: steps.flatMap(({ afterJoin }) => afterJoin),
};
