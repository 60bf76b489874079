import type { HostProblem } from "../../config/host-problem.ts";
import type { HostResource, KnownResource, ResourceKind } from "../host-resource.ts";
import type { Host } from "../../host/host.ts";
import { hyperV } from "./hyper-v/definition.ts";
import { kubevirt } from "./kubevirt/definition.ts";
import { libvirt } from "./libvirt/definition.ts";
import type {
  MachineComponents,
  MachineMaker,
  MakerSettings,
  OtherMachineHost,
} from "./machine-maker.ts";

/** The makers of machines on other hosts, by the section of the settings that lists the hosts. */
export const machineMakers = { hypervisors: libvirt, hyperVHosts: hyperV } as const;

/** The makers of machines on a cluster, for an existing cluster, by `kindows:machine.kind`. */
export const clusterMakers = { kubevirt } as const;

export type MakerSection = keyof typeof machineMakers;

export type MakersHosts = Readonly<Record<MakerSection, readonly OtherMachineHost[]>>;

interface OtherHost {
  readonly host: OtherMachineHost;
  readonly maker: MachineMaker;
  readonly path: readonly [section: string, index: number];
}

/** All hosts besides this one, in the order of the settings. */
export function otherHosts(settings: MakersHosts): OtherHost[] {
  return Object.entries<MachineMaker>(machineMakers).flatMap(([section, maker]) =>
    settings[section as MakerSection].map((host, index) => ({
      host,
      maker,
      path: [section, index] as const,
    })),
  );
}

/** Queries all makers in parallel and returns the results in the makers' order. */
async function fromAllMakers<T>(
  query: (maker: MachineMaker) => Promise<readonly T[]>,
): Promise<T[]> {
  return (await Promise.all(Object.values<MachineMaker>(machineMakers).map(query))).flat();
}

/** The components of all makers. */
export function makersComponents(): Promise<MachineComponents[]> {
  return Promise.all(Object.values<MachineMaker>(machineMakers).map((maker) => maker.components()));
}

/** Problems of other hosts that have nodes. */
export function hostProblemsElsewhere(
  settings: MakerSettings & MakersHosts,
): Promise<HostProblem[]> {
  return fromAllMakers(
    async ({ readiness }) => (await readiness?.())?.hostProblems(settings) ?? [],
  );
}

/** Kinds of resources that machines leave on hosts, in the order of removal. */
export function machineResources(): Promise<ResourceKind[]> {
  return fromAllMakers(async ({ hostResources }) => (await hostResources?.())?.hostResources ?? []);
}

/** The kinds among them that are machines. */
export function machineKinds(): Promise<ResourceKind[]> {
  return fromAllMakers(async ({ hostResources }) =>
    ((await hostResources?.())?.hostResources ?? []).slice(0, 1),
  );
}

/** The machines of all labs that the CLI can list. */
export async function listedMachines(host: Host): Promise<HostResource[]> {
  const found = await Promise.all((await machineKinds()).map((kind) => kind.find(host)));
  return found.flat();
}

export interface GoneMachine {
  readonly urn: string;
  readonly maker: string;
}

/**
 * Machines of a state that no longer exist on hosts that only their makers can query. Reports hosts that do not answer.
 */
export function goneElsewhere(
  resources: readonly KnownResource[],
  say: (line: string) => void,
): Promise<GoneMachine[]> {
  return fromAllMakers(async ({ title, recovery }) => {
    const urns = await (await recovery?.())?.goneMachines(resources, say);
    return (urns ?? []).map((urn) => ({ urn, maker: title }));
  });
}
