import type * as libvirt from "@pulumi/libvirt";
import type * as pulumi from "@pulumi/pulumi";
import type * as z from "zod";
import type { HostProblem } from "../../config/host-problem.ts";
import { labNames } from "../../config/names.ts";
import type { Check } from "../../config/problem.ts";
import type { remoteHost } from "../../config/sections/machine-host.ts";
import type { NamedSettings, NodeSettings, Settings } from "../../config/settings.ts";
import type { KnownResource, ResourceKind } from "../host-resource.ts";
import type { LabNetwork } from "../network/lab-network.ts";
import type { GoldenImage } from "./libvirt/machine-storage.ts";
import { macAddress } from "./mac-address.ts";
import type { Machine, VirtualMachineArgs } from "./machine.ts";
import type { SshKey } from "./ssh-key.ts";

/** A host besides this one that a lab's machines may run on; what else is known of it is its maker's business. */
export type OtherMachineHost = Pick<z.output<typeof remoteHost>, "name" | "machineMemoryMiB">;

/** All that the program knows of one way to make machines on other hosts; the settings' and the commands' part of it needs no Pulumi. */
export interface MachineMaker<Hosts = z.ZodType<OtherMachineHost[]>> {
  readonly title: string;
  readonly settings: Hosts;
  /** What has to fit together where it has hosts, besides each setting for itself. */
  readonly checks: readonly Check<NamedSettings>[];
  /** Systems that its machines can have. */
  readonly systems: readonly Machine["os"][];
  /** Where a host is: the setting that says it, and the server, whoever logs in to it: two accounts of one are one host. */
  place(host: OtherMachineHost): { readonly setting: string; readonly server: string };
  /** Whether machines can be made on its hosts, which is asked before anything is made; undefined: nobody asks. */
  readonly readiness?: () => Promise<{
    /** What is in the way on those that nodes are placed on; all are asked at once, in bounded time. */
    hostProblems(this: void, settings: Settings): Promise<HostProblem[]>;
  }>;
  /** What its machines leave on this host and on its hosts, where the CLI lists, starts and removes that. */
  readonly hostResources?: () => Promise<{
    /** In the order of removal, each before those it uses: the machines first. */
    readonly hostResources: readonly ResourceKind[];
  }>;
  /** What a run that was killed leaves on its hosts; undefined where `hostResources` tells. */
  readonly recovery?: () => Promise<{
    /** URNs of machines that somebody has removed. Where a host does not answer nothing of it counts as gone. */
    goneMachines(
      this: void,
      resources: readonly KnownResource[],
      say: (line: string) => void,
    ): Promise<readonly string[]>;
  }>;
  /** Its components, which need Pulumi. */
  components(): Promise<{
    /**
     * The hosts that have nodes, by name, each as what makes a machine there. Addresses are those of this host's DHCP server,
     * as everywhere on the segment.
     *
     * @param placed nodes that are made.
     */
    machinesOn(
      this: void,
      lab: MachinesLab,
      placed: readonly NodeSettings[],
    ): ReadonlyMap<string, MakeMachine>;
  }>;
}

/** What all machines of a lab have in common. */
export interface MachinesLab {
  readonly settings: Settings;
  /** Disks that machines start from, by their system; the Linux one is looked for where it is wanted. */
  readonly images: { readonly windows: GoldenImage; readonly linux: () => GoldenImage };
  readonly network: LabNetwork;
  /** What kindows makes on a host to connect it with the others, by its name; empty if there is nothing. */
  readonly fabric: ReadonlyMap<string, pulumi.Resource>;
  readonly libvirtProvider: libvirt.Provider;
  login(this: void, os: Machine["os"]): { readonly user: string; readonly key: SshKey };
}

/** What every maker is told of a node's machine. */
export function virtualMachine(
  { settings, login }: MachinesLab,
  { name, os, cpus, memoryMiB, diskGiB, address }: NodeSettings,
): VirtualMachineArgs {
  return {
    computerName: name,
    cpus,
    memoryMiB,
    diskGiB,
    address,
    mac: macAddress(labNames(settings.lab.name).prefix, name),
    login: login(os),
  };
}

/** Makes the machine of a node on one host. */
export type MakeMachine = (node: NodeSettings) => Machine;
