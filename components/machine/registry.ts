import { hyperV } from "./hyper-v/definition.ts";
import { libvirt } from "./libvirt/definition.ts";
import type { MachineMaker, OtherMachineHost } from "./machine-maker.ts";

/** Who makes machines on other hosts, by the section of the settings that lists these. */
export const machineMakers = { hypervisors: libvirt, hyperVHosts: hyperV } as const;

export type MakerSection = keyof typeof machineMakers;

/** Settings with all of those sections. */
export type MakersHosts = Readonly<Record<MakerSection, readonly OtherMachineHost[]>>;

/** A host of one of those sections. */
export interface OtherHost {
  readonly host: OtherMachineHost;
  readonly maker: MachineMaker;
  /** Where it stands in the settings. */
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
