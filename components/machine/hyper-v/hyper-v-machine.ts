import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { domainName, labNames } from "../../../config/names.ts";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import type { environment } from "../actions/make-hyper-v-machine.ts";
import type { environment as hostEnvironment } from "../actions/prepare-hyper-v-host.ts";
import { addressReservation } from "../address-reservation.ts";
import { metaData } from "../identity.ts";
import { type MachinesLab, type MakeMachine, virtualMachine } from "../machine-maker.ts";
import { MachineComponent, type VirtualMachineArgs } from "../machine.ts";
import { MachineKeys } from "../ssh-access.ts";
import {
  type HyperVHostParameter,
  type HyperVMachineParameter,
  type HyperVTarget,
  hyperVTarget,
  instanceId,
  ownerId,
} from "./parameters.ts";
import { type HyperVSection, startOf } from "./settings.ts";
import type { NodeSettings } from "../../../config/sections/nodes.ts";

/** Prepares the Hyper-V hosts that have nodes, and returns the function that makes machines on each. */
export function machinesOn(
  lab: MachinesLab<HyperVSection>,
  placed: readonly NodeSettings[],
): ReadonlyMap<string, MakeMachine> {
  const { settings, parent } = lab;
  const { prefix } = labNames(settings.lab.name);
  const used = new Set(placed.map((node) => node.hypervisor));
  return new Map(
    settings.hyperVHosts
      .filter(({ name }) => used.has(name))
      .map((settingsOfHost) => {
        const host = new HyperVHost(
          `hyper-v-${settingsOfHost.name}`,
          {
            host: hyperVTarget(settingsOfHost, prefix),
            loginPublicKey: lab.login("windows").key.publicKey,
          },
          { parent },
        );
        const make = (node: NodeSettings): HyperVMachine =>
          new HyperVMachine(
            node.name,
            {
              ...virtualMachine(lab, node),
              ...startOf(settingsOfHost, settings.windows),
              machineName: domainName(settings.lab.name, node.name),
              host,
              reserve: (machine) => addressReservation(lab, node, machine),
            },
            { parent },
          );
        return [settingsOfHost.name, make];
      }),
  );
}

export interface HyperVHostArgs {
  readonly host: HyperVTarget;
  /** Public half of the key that logs in to the lab's machines, which identifies the machines' owner. */
  readonly loginPublicKey: pulumi.Input<string>;
}

/**
 * An existing Windows host with Hyper-V. It is checked before machines are made on it. Deleting the resource removes
 * everything that belongs to the lab from the host.
 */
export class HyperVHost extends pulumi.ComponentResource {
  readonly parameter: pulumi.Output<HyperVHostParameter>;
  readonly resource: pulumi.Resource;

  constructor(name: string, args: HyperVHostArgs, opts?: pulumi.ComponentResourceOptions) {
    const { address, switchName, folder } = args.host;
    super("kindows:machine:HyperVHost", name, { address, switchName, folder }, opts);
    this.parameter = pulumi
      .output(args.loginPublicKey)
      .apply((key) => ({ ...args.host, owner: ownerId(key) }));
    this.resource = new local.Command(
      name,
      hostAction<typeof hostEnvironment>({
        create: "machine/prepare-hyper-v-host",
        delete: "machine/prepare-hyper-v-host --remove",
        environment: { HYPER_V_HOST: this.parameter },
        // A replacement removes the lab's files from the former folder or host.
        triggers: [args.host.hostKey, folder],
      }),
      { parent: this, customTimeouts: { create: "6m", update: "6m", delete: "11m" } },
    );
    this.registerOutputs({});
  }
}

export interface HyperVMachineArgs extends VirtualMachineArgs {
  /** Name of the virtual machine and of its folder, e.g. `kindows-fleet-win-1`. */
  readonly machineName: string;
  /** 1 (BIOS) or 2 (UEFI), as the image was installed. */
  readonly generation: 1 | 2;
  /** Whether a machine of generation 2 starts with Secure Boot. */
  readonly secureBoot: boolean;
  /**
   * Reserves the machine's address in the segment's DHCP server. The reservation is a child of the machine's component.
   */
  readonly reserve: (parent: pulumi.Resource) => pulumi.Resource;
  readonly host: HyperVHost;
}

/**
 * A virtual machine on a Windows host with Hyper-V: a differencing disk on the image's VHDX, an identity disc, and a
 * static MAC address. Any change replaces the machine.
 *
 * Not responsible for what runs in it. It is complete as soon as the machine has its address. Steps that need SSH dial
 * until the machine answers.
 */
export class HyperVMachine extends MachineComponent {
  constructor(name: string, args: HyperVMachineArgs, opts?: pulumi.ComponentResourceOptions) {
    const { computerName, address, host } = args;
    const facts: Facts<"kindows:machine:HyperVMachine"> = { node: computerName };
    super("kindows:machine:HyperVMachine", name, { facts }, opts);
    const keys = new MachineKeys(name, computerName, args.login, this);
    const { machineName, generation, secureBoot, cpus, memoryMiB, diskGiB } = args;
    const definition = {
      name: machineName,
      generation,
      secureBoot,
      cpus,
      memoryMiB,
      diskGiB,
      macAddress: args.mac.replaceAll(":", "").toUpperCase(),
    };
    const parameter = pulumi
      .all([host.parameter, keys.hostKey])
      .apply(([target, hostPublicKey]): HyperVMachineParameter => ({
        ...definition,
        address,
        making: instanceId(target, definition, hostPublicKey),
      }));
    const machine = new local.Command(
      name,
      hostAction<typeof environment>({
        create: "machine/make-hyper-v-machine",
        delete: "machine/make-hyper-v-machine --remove",
        environment: {
          HYPER_V_HOST: host.parameter,
          MACHINE: parameter,
          IDENTITY: keys.userData.apply((userData) => ({
            userData,
            metaData: metaData(machineName, computerName),
          })),
        },
        triggers: [parameter.making],
      }),
      {
        parent: this,
        // Two machines cannot share a name, address and MAC address.
        deleteBeforeReplace: true,
        dependsOn: [host.resource, args.reserve(this)],
        customTimeouts: { create: "31m", update: "31m", delete: "11m" },
      },
    );
    this.setMachine({
      name: computerName,
      os: "windows",
      address,
      hostKey: keys.hostKey,
      // The output counts as secret because the identity is one. The id is not.
      instanceId: pulumi
        .unsecret(machine.stdout)
        .apply((text) => (JSON.parse(text) as { readonly id: string }).id),
      resource: machine,
      connection: keys.onSegment(address),
    });
  }
}
