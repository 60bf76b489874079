import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import * as libvirt from "@pulumi/libvirt";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import type { UefiFirmware } from "./uefi-firmware.ts";
import type { environment } from "../actions/close-identity.ts";
import { domainXslt, windowsDomainXslt } from "./domain-xslt.ts";
import { closedVolumeXslt } from "./xslt.ts";
import { metaData } from "../identity.ts";
import { MachineComponent, type VirtualMachineArgs } from "../machine.ts";
import { MachineKeys } from "../ssh-access.ts";
import type { MachineStorage } from "./machine-storage.ts";

/** How a machine is connected to the lab's segment or that of its hypervisor. */
export type MachineSegment = {
  /** Resources that connect the segment with other hosts, for which the machine waits. Default: none. */
  readonly connected?: readonly pulumi.Resource[];
} &
  /** Through the libvirt network of the segment, on the same hypervisor. */
  (
    | { readonly kind: "network"; readonly networkId: pulumi.Input<string> }
    /** Through a Linux bridge of another hypervisor, which is connected to the segment. */
    | {
        readonly kind: "bridge";
        readonly bridge: string;
        /**
         * Reserves the machine's address in the segment's DHCP server. The reservation is a child of the machine's
         * component.
         */
        readonly reserve: (parent: pulumi.Resource) => pulumi.Resource;
      }
  );

export interface LibvirtMachineArgs extends VirtualMachineArgs {
  readonly os: "windows" | "linux";
  /** System of the image. The rehearsal guest is a small Linux that stands in for Windows. */
  readonly guest: "windows" | "rehearsal" | "linux";
  /** Name of the domain, and prefix of its volumes' names, e.g. `kindows-rehearsal-win-1`. */
  readonly domainName: string;
  /** `kvm`, or `qemu` (emulation) without KVM. */
  readonly domainType: "kvm" | "qemu";
  /** UEFI firmware and its variables template, files on the hypervisor's host. Default: BIOS. */
  readonly uefi?: UefiFirmware | undefined;
  readonly segment: MachineSegment;
  readonly storage: MachineStorage;
  /** Time limit in seconds for the machine to get its address, e.g. 1200. The provider's default is 5 minutes. */
  readonly bootSeconds: number;
  readonly libvirtProvider: libvirt.Provider;
}

/**
 * With KVM, the host's CPU. Emulated guests are fastest, and Wine runs without kernel oopses, with QEMU's default CPU.
 */
const cpuModes = { kvm: { mode: "host-passthrough" }, qemu: undefined } as const;

/**
 * A virtual machine on libvirt: an overlay of the golden image, an identity disk, and a domain with a reserved address.
 *
 * Not responsible for what runs in it. It is complete as soon as the machine has its address. Steps that need SSH dial
 * until the machine answers.
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
        xml: { xslt: closedVolumeXslt },
      },
      // A new golden image is for new machines. Existing machines keep their disks.
      { ...child, ignoreChanges: ["baseVolumeId", "xml"], deleteBeforeReplace: true },
    );
    const identity = new libvirt.CloudinitDisk(
      `${name}-identity`,
      {
        name: `${args.domainName}-identity.iso`,
        pool: args.storage.poolName,
        userData: keys.userData,
        metaData: metaData(args.domainName, computerName),
      },
      // Its id is unique for each instance. A new disk means a new machine, on which everything is done again.
      { ...child, replaceWith: [disk], deleteBeforeReplace: true },
    );
    // Makes the disk readable for its owner only, before a machine uses it. Skipped for the rehearsal, to save a second
    // in each run, because its keys protect nothing.
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
    // The base is read from the disk, which stays on the image that it was made from.
    const xslt = pulumi
      .all([[disk.id, disk.baseVolumeId], args.storage.labId] as const)
      .apply(([files, labId]) => {
        const chain = files.filter((file) => file !== undefined);
        return args.guest === "windows"
          ? windowsDomainXslt(chain, labId, domainType === "kvm")
          : domainXslt(chain, labId);
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
            // libvirt's default. It is set because the provider reads it back, and would otherwise show a change.
            file: `/var/lib/libvirt/qemu/nvram/${args.domainName}_VARS.fd`,
            template: args.uefi.variables,
          },
        }),
        vcpu: cpus,
        memory: memoryMiB,
        // kind's containers start after a reboot of the host too.
        autostart: true,
        cpu: cpuModes[domainType],
        disks: [{ volumeId: disk.id }],
        cloudinit: identity.id,
        networkInterfaces: [networkInterface(args)],
        consoles: [{ type: "pty", targetType: "serial", targetPort: "0" }],
        xml: { xslt },
        // The provider's own argument, because Pulumi's bridge does not pass customTimeouts to it.
        timeouts: { create: `${args.bootSeconds}s` },
      },
      {
        ...child,
        deleteBeforeReplace: true,
        // Whether it runs is for `kindows stop`, `start` and `up`: a refresh of a stopped machine changes no preview.
        ignoreChanges: ["running"],
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
      disk,
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
    // The hypervisor's libvirt sees no lease, because the DHCP server is on another host.
    return { bridge: segment.bridge, mac: mac.toUpperCase() };
  }
  return {
    networkId: segment.networkId,
    hostname: computerName,
    mac: mac.toUpperCase(),
    addresses: [address],
    // Otherwise the provider records no address, and every later preview shows that one is added.
    waitForLease: true,
  };
}
