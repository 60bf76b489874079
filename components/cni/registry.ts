import { calico } from "./calico/definition.ts";
import { flannel } from "./flannel/definition.ts";
import { kindDefault } from "./kind-default.ts";
import type {
  PodNetworkDefinition,
  PodNetworkInExisting,
  PodNetworkSteps,
  PublishedProgram,
} from "./pod-network.ts";

/** The pod networks, by what `kindows:cni.kind` calls them. */
export const podNetworks = { calico, flannel, "kind-default": kindDefault } as const;

export type PodNetworkName = keyof typeof podNetworks;

/** Names of the programs that pod networks have installed on Windows nodes. */
export type PodNetworkProgram = {
  [Name in PodNetworkName]: keyof (typeof podNetworks)[Name]["programs"];
}[PodNetworkName];

const definitions = Object.entries<PodNetworkDefinition>(podNetworks);

/** One by its name; undefined for `none` and its like. */
export function podNetworkNamed(name: string): PodNetworkDefinition | undefined {
  return definitions.find(([one]) => one === name)?.[1];
}

/** Those that clusters may have that are there already, by their names. */
export const inExisting: ReadonlyMap<string, PodNetworkInExisting> = new Map(
  definitions.flatMap(([name, { existing }]) =>
    existing === undefined ? [] : [[name, existing] as const],
  ),
);

/** Those of all of them. */
export const podNetworkPrograms = Object.assign(
  {},
  ...definitions.map(([, { programs }]) => programs),
) as Readonly<Record<PodNetworkProgram, PublishedProgram>>;

const steps = definitions.map(([, { nodeSteps }]) => nodeSteps);

/** The steps of all of them. */
export const podNetworkSteps: PodNetworkSteps = {
  beforeJoin: steps.flatMap(({ beforeJoin }) => beforeJoin),
  afterJoin: steps.flatMap(({ afterJoin }) => afterJoin),
};
