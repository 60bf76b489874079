import type * as libvirt from "@pulumi/libvirt";
import type * as pulumi from "@pulumi/pulumi";
import type * as z from "zod";
import type { HostProblem } from "../../config/host-problem.ts";
import { labNames } from "../../config/names.ts";
import type { Check } from "../../config/problem.ts";
import type { LabSection } from "../../config/sections/lab.ts";
import type { remoteHost } from "../../config/sections/machine-host.ts";
import type { NetworkSection } from "../../config/sections/network.ts";
import type { MadeNodes } from "../../config/sections/nodes.ts";
import type { firmwareOf } from "../../config/sections/windows-image.ts";
import type { KnownResource, ResourceKind } from "../host-resource.ts";
import type { LabNetwork } from "../network/lab-network.ts";
import type { GoldenImage } from "./libvirt/machine-storage.ts";
import type { ThisHypervisor } from "./libvirt/settings.ts";
import type { KubeconfigSource } from "../controlplane/existing/examine-cluster.ts";
import { macAddress } from "./mac-address.ts";
import type { Machine, VirtualMachineArgs } from "./machine.ts";
import type { SshKey } from "./ssh-key.ts";
import type { StackMachines } from "./stack-machines.ts";
import type { NodeSettings } from "../../config/sections/nodes.ts";

/** What all hosts that machines can run on, besides this one, have in common. */
export type OtherMachineHost = Pick<z.output<typeof remoteHost>, "name" | "machineMemoryMiB">;

/** The settings of a lab that all makers read. */
export interface MakerSettings extends LabSection, NetworkSection, MadeNodes {
  readonly hypervisor: ThisHypervisor;
  readonly windows: Parameters<typeof firmwareOf>[0];
  /** Nodes on machines that are there. */
  readonly ownNodes: readonly unknown[];
}

/** A way to make machines. Only `components` imports Pulumi, so that settings and commands load fast. */
interface Maker<Schema, Checked, Components> {
  readonly title: string;
  /** Its part of the settings. */
  readonly settings: Schema;
  /** Checks of settings that depend on each other. */
  readonly checks: readonly Check<Checked>[];
  /** The components, which import Pulumi. */
  components(): Promise<Components>;
}

/** Makes machines on a cluster, for the stack of an existing cluster. */
export interface ClusterMaker<Schema extends z.ZodType, Section, Components> extends Maker<
  Schema,
  Section,
  Components
> {
  /** What leads commands to the machines of a stack. @param cluster the cluster that their nodes join. */
  stackMachines(
    this: void,
  ): Promise<
    (machine: z.output<Schema>, cluster: KubeconfigSource, stack: string) => StackMachines
  >;
}

/**
 * Makes machines of a lab on other hosts.
 *
 * `Section` is what it reads of the settings besides what all makers read: the list of its hosts.
 */
export interface MachineMaker<
  Hosts = z.ZodType<OtherMachineHost[]>,
  Section = unknown,
> extends Maker<Hosts, Pick<MakerSettings, "windows"> & Section, MachineComponents<Section>> {
  /** Operating systems of its machines. */
  readonly systems: readonly Machine["os"][];
  /**
   * The setting with a host's address, and the server that it names. The server does not include the account, so that
   * two accounts on one server are recognized as the same host.
   */
  addressOf(host: OtherMachineHost): { readonly setting: string; readonly server: string };
  /** Checks of hosts, before anything is made. */
  readonly readiness?: () => Promise<{
    /** Problems of the hosts that have nodes. The hosts are checked in parallel, with a time limit. */
    hostProblems(this: void, settings: MakerSettings & Section): Promise<HostProblem[]>;
  }>;
  /** Kinds of resources that its machines leave on this host and on its hosts, if the CLI can list and remove them. */
  readonly hostResources?: () => Promise<{
    /** In the order of removal, the machines first. */
    readonly hostResources: readonly ResourceKind[];
  }>;
  /** Comparison of the state with the hosts; undefined if `hostResources` is defined, which serves that purpose too. */
  readonly recovery?: () => Promise<{
    /**
     * URNs of machines that no longer exist on their hosts. Machines of a host that does not answer are not included.
     */
    goneMachines(
      this: void,
      resources: readonly KnownResource[],
      say: (line: string) => void,
    ): Promise<readonly string[]>;
  }>;
}

export interface MachineComponents<Section = unknown> {
  /**
   * Returns, by the name of each host that has nodes, the function that makes a node's machine there. The machines
   * get their addresses from this host's DHCP server, like all machines on the segment.
   *
   * @param placed the nodes whose machines are made.
   */
  machinesOn(
    this: void,
    lab: MachinesLab<Section>,
    placed: readonly NodeSettings[],
  ): ReadonlyMap<string, MakeMachine>;
}

/** What all machines of a lab have in common. */
export interface MachinesLab<Section = unknown> {
  readonly settings: MakerSettings & Section;
  /** The lab's component, whose children all resources are. */
  readonly parent: pulumi.Resource;
  /** Disks that machines start from. Each is only located if a node needs it. */
  readonly images: {
    readonly windows: GoldenImage | undefined;
    readonly linux: () => GoldenImage;
  };
  readonly network: LabNetwork;
  /** The network fabric on each host, by the host's name; empty if there is none. */
  readonly fabric: ReadonlyMap<string, pulumi.Resource>;
  readonly libvirtProvider: libvirt.Provider;
  /** The lab's random id. */
  readonly labId: pulumi.Output<string>;
  login(this: void, os: Machine["os"]): { readonly user: string; readonly key: SshKey };
}

/** The arguments of a node's machine that are the same for all makers. */
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
