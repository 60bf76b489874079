import type { HostProblem } from "../../config/host-problem.ts";
import type { Settings } from "../../config/settings.ts";
import type { HostResource, KnownResource, ResourceKind } from "../host-resource.ts";
import type { Host } from "../../host/host.ts";
import { hyperV } from "./hyper-v/definition.ts";
import { kubevirt } from "./kubevirt/definition.ts";
import { libvirt } from "./libvirt/definition.ts";
import type { MachineMaker, OtherMachineHost } from "./machine-maker.ts";

/** Who makes machines on other hosts, by the section of the settings that lists these. */
export const machineMakers = { hypervisors: libvirt, hyperVHosts: hyperV } as const;

/** Who makes machines for a cluster that is there, by `kindows:machine.kind`. */
export const machineKinds = { kubevirt } as const;

type MachineKind = (typeof machineKinds)[keyof typeof machineKinds];

/** The machines that one of those has made for a stack, for commands. */
export type StackMachines = InstanceType<
  Awaited<ReturnType<MachineKind["stackMachines"]>>["StackMachines"]
>;

export type MakerSection = keyof typeof machineMakers;

export type MakersHosts = Readonly<Record<MakerSection, readonly OtherMachineHost[]>>;

export interface OtherHost {
  readonly host: OtherMachineHost;
  readonly maker: MachineMaker;
  readonly path: readonly [section: string, index: number];
}

/** All hosts besides this one, in the settings' order. */
export function otherHosts(settings: MakersHosts): OtherHost[] {
  return Object.entries<MachineMaker>(machineMakers).flatMap(([section, maker]) =>
    settings[section as MakerSection].map((host, index) => ({
      host,
      maker,
      path: [section, index] as const,
    })),
  );
}

/** What all makers tell, in their order; all are asked at once. */
async function ofAll<T>(ask: (maker: MachineMaker) => Promise<readonly T[]>): Promise<T[]> {
  return (await Promise.all(Object.values<MachineMaker>(machineMakers).map(ask))).flat();
}

/** What is in the way on other hosts that nodes are placed on. */
export function hostProblemsElsewhere(settings: Settings): Promise<HostProblem[]> {
  return ofAll(async ({ readiness }) => (await readiness?.())?.hostProblems(settings) ?? []);
}

/** What machines leave on hosts, in the order of removal. */
export function machineResources(): Promise<ResourceKind[]> {
  return ofAll(async ({ hostResources }) => (await hostResources?.())?.hostResources ?? []);
}

/** The machines of all labs that the CLI can list. */
export function listedMachines(host: Host): Promise<HostResource[]> {
  return ofAll(
    async ({ hostResources }) => (await hostResources?.())?.hostResources[0]?.find(host) ?? [],
  );
}

export interface GoneMachine {
  readonly urn: string;
  readonly maker: string;
}

/** Machines of a state that are gone from hosts where only their makers can look; says which hosts could not be asked. */
export function goneElsewhere(
  resources: readonly KnownResource[],
  say: (line: string) => void,
): Promise<GoneMachine[]> {
  return ofAll(async ({ title, recovery }) => {
    const urns = await (await recovery?.())?.goneMachines(resources, say);
    return (urns ?? []).map((urn) => ({ urn, maker: title }));
  });
}
