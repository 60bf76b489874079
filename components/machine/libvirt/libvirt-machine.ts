import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import * as libvirt from "@pulumi/libvirt";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import type { UefiFirmware } from "../../windows/image/builder/qemu-command.ts";
import type { environment } from "../actions/close-identity.ts";
import { domainXslt, windowsDomainXslt } from "./domain-xslt.ts";
import { metaData } from "../identity.ts";
import { MachineComponent, type VirtualMachineArgs } from "../machine.ts";
import { MachineKeys } from "../ssh-access.ts";
import type { MachineStorage } from "./machine-storage.ts";

/** How a machine gets on the lab's segment, or on that of its hypervisor. */
export type MachineSegment = {
  /** What connects it with other hosts. Default: there is nothing to wait for. */
  readonly connected?: readonly pulumi.Resource[];
} &
  /** By the libvirt network that makes it, on the same hypervisor. */
  (
    | { readonly kind: "network"; readonly networkId: pulumi.Input<string> }
    /** By a Linux bridge of another hypervisor that is connected to it. */
    | {
        readonly kind: "bridge";
        readonly bridge: string;
        /** Reserves the machine's address where its DHCP server is, as a part of the machine's component. */
        readonly reserve: (parent: pulumi.Resource) => pulumi.Resource;
      }
  );

export interface LibvirtMachineArgs extends VirtualMachineArgs {
  readonly os: "windows" | "linux";
  /** What the machine is made for: the rehearsal's guest is a small Linux in Windows' place. */
  readonly guest: "windows" | "rehearsal" | "linux";
  /** Name of the domain and stem of its volumes' names, e.g. `kindows-rehearsal-win-1`. */
  readonly domainName: string;
  /** `kvm`, or `qemu` (emulation) where KVM is not to be had. */
  readonly domainType: "kvm" | "qemu";
  /** UEFI's program and the settings it starts from, files on the hypervisor's host; undefined: BIOS. */
  readonly uefi?: UefiFirmware | undefined;
  /** It also says by what the address is reserved: on the segment's own network by this. */
  readonly segment: MachineSegment;
  readonly storage: MachineStorage;
  /**
   * Seconds until it must have its address, e.g. 1200: the provider alone would give a first boot up after 5 minutes.
   */
  readonly bootSeconds: number;
  readonly libvirtProvider: libvirt.Provider;
}

/** Emulated guests run fastest, and Wine without kernel oopses, on the plainest CPU; KVM gives the host's own. */
const cpuModes = { kvm: { mode: "host-passthrough" }, qemu: undefined } as const;

/**
 * A virtual machine on libvirt: an overlay of the golden image, an identity disk, a domain with a reserved address.
 *
 * Not responsible for what runs in it: it is done as soon as the machine has its address, and who needs SSH dials
 * until it answers.
 */
export class LibvirtMachine extends MachineComponent {
  constructor(name: string, args: LibvirtMachineArgs, opts?: pulumi.ComponentResourceOptions) {
    const { computerName, os, address, cpus, memoryMiB, diskGiB, domainType } = args;
    const facts: Facts<"kindows:machine:LibvirtMachine"> = {
      node: computerName,
      os,
      address,
      cpus,
      memoryMiB,
      diskGiB,
      domainType,
    };
    super("kindows:machine:LibvirtMachine", name, { facts }, opts);
    const child = { parent: this, provider: args.libvirtProvider };
    const keys = new MachineKeys(name, computerName, args.login, this, args.guest === "linux");

    const disk = new libvirt.Volume(
      name,
      {
        name: `${args.domainName}.qcow2`,
        pool: args.storage.poolName,
        baseVolumeId: args.storage.baseVolumeId,
        format: "qcow2",
        size: diskGiB * 1024 ** 3,
      },
      // A new golden image is for new machines; a running node keeps the disk it has.
      { ...child, ignoreChanges: ["baseVolumeId"], deleteBeforeReplace: true },
    );
    const identity = new libvirt.CloudinitDisk(
      `${name}-identity`,
      {
        name: `${args.domainName}-identity.iso`,
        pool: args.storage.poolName,
        userData: keys.userData,
        metaData: metaData(args.domainName, computerName),
      },
      // Its id is unique for each instance: a new disk is a new machine, and everything done on it is done again.
      { ...child, replaceWith: [disk], deleteBeforeReplace: true },
    );
    // Only its owner may read it, before a machine has it. The rehearsal's machines are nobody: their key opens nothing
    // that is worth a second of each run.
    const closed =
      args.guest === "rehearsal"
        ? identity
        : new local.Command(
            `${name}-identity-closed`,
            hostAction<typeof environment>({
              create: "machine/close-identity",
              environment: {
                VOLUME: pulumi.output({
                  uri: args.storage.uri,
                  pool: args.storage.poolName,
                  name: `${args.domainName}-identity.iso`,
                }),
              },
              triggers: [identity.id],
            }),
            { parent: this, deleteBeforeReplace: true },
          );
    // The base by the disk's own word: it stays on the one that it was made on.
    const xslt = pulumi.all([disk.id, disk.baseVolumeId]).apply((files) => {
      const chain = files.filter((file) => file !== undefined);
      return args.guest === "windows"
        ? windowsDomainXslt(chain, domainType === "kvm")
        : domainXslt(chain);
    });
    const domain = new libvirt.Domain(
      name,
      {
        name: args.domainName,
        type: domainType,
        machine: "q35",
        ...(args.uefi && {
          firmware: args.uefi.code,
          nvram: {
            // Where libvirt would put it. Named, for the provider reads it back and would show a change otherwise.
            file: `/var/lib/libvirt/qemu/nvram/${args.domainName}_VARS.fd`,
            template: args.uefi.variables,
          },
        }),
        vcpu: cpus,
        memory: memoryMiB,
        // Back after a reboot of the host, as kind's containers are.
        autostart: true,
        cpu: cpuModes[domainType],
        disks: [{ volumeId: disk.id }],
        cloudinit: identity.id,
        networkInterfaces: [networkInterface(args)],
        consoles: [{ type: "pty", targetType: "serial", targetPort: "0" }],
        xml: { xslt },
        // The provider's own: Pulumi's bridge does not hand customTimeouts on to it.
        timeouts: { create: `${args.bootSeconds}s` },
      },
      {
        ...child,
        deleteBeforeReplace: true,
        dependsOn: [
          closed,
          ...(args.segment.connected ?? []),
          ...(args.segment.kind === "bridge" ? [args.segment.reserve(this)] : []),
        ],
      },
    );

    this.setMachine({
      name: computerName,
      os,
      address,
      hostKey: keys.hostKey,
      instanceId: identity.id,
      resource: domain,
      connection: keys.onSegment(address),
    });
  }
}

function networkInterface({
  segment,
  computerName,
  mac,
  address,
}: LibvirtMachineArgs): libvirt.types.input.DomainNetworkInterface {
  if (segment.kind === "bridge") {
    // Its hypervisor's libvirt sees no lease: that is in the DHCP server of another one.
    return { bridge: segment.bridge, mac: mac.toUpperCase() };
  }
  return {
    networkId: segment.networkId,
    hostname: computerName,
    mac: mac.toUpperCase(),
    addresses: [address],
    // Otherwise the provider records "no address", and every later preview shows one to be added.
    waitForLease: true,
  };
}
