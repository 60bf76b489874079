import * as pulumi from "@pulumi/pulumi";
import * as libvirt from "@pulumi/libvirt";
import { domainXslt } from "./domain-xslt.ts";
import { metaData, userData } from "./identity.ts";
import type { Machine, SshConnection } from "./machine.ts";
import type { MachineStorage } from "./machine-storage.ts";
import { SshKey } from "./ssh-key.ts";

export interface LibvirtMachineArgs {
  /** Computer name: a DNS label of at most 15 characters. */
  readonly computerName: string;
  readonly os: "windows" | "linux";
  /** Name of the domain and stem of its volumes' names, e.g. `kindows-rehearsal-win-1`. */
  readonly domainName: string;
  /** `kvm`, or `qemu` (emulation) where KVM is not to be had. */
  readonly domainType: "kvm" | "qemu";
  /** Virtual processors. */
  readonly cpus: number;
  /** Memory in MiB. */
  readonly memoryMiB: number;
  /** Size of the overlay in GiB; at least the image's own. */
  readonly diskGiB: number;
  /** IPv4 address, reserved for `mac` in libvirt's DHCP. */
  readonly address: string;
  /** Stable MAC address. */
  readonly mac: string;
  /** Id of the segment's libvirt network. */
  readonly networkId: pulumi.Input<string>;
  readonly storage: MachineStorage;
  /** Who may log in, and with what. */
  readonly login: {
    /** Account, e.g. `Administrator`. */
    readonly user: string;
    readonly key: SshKey;
  };
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
export class LibvirtMachine extends pulumi.ComponentResource implements Machine {
  readonly name: string;
  readonly os: "windows" | "linux";
  readonly address: string;
  readonly connection: pulumi.Output<SshConnection>;
  readonly instanceId: pulumi.Output<string>;
  readonly resource: pulumi.Resource;
  /** Public SSH host key, pinned in `connection`. */
  readonly hostKey: pulumi.Output<string>;

  constructor(name: string, args: LibvirtMachineArgs, opts?: pulumi.ComponentResourceOptions) {
    super(
      "kindows:machine:LibvirtMachine",
      name,
      { computerName: args.computerName, address: args.address, mac: args.mac },
      opts,
    );
    const child = { parent: this, provider: args.libvirtProvider };
    const hostKey = new SshKey(
      `${name}-host-key`,
      { comment: args.computerName },
      { parent: this },
    );

    const disk = new libvirt.Volume(
      name,
      {
        name: `${args.domainName}.qcow2`,
        pool: args.storage.poolName,
        baseVolumeId: args.storage.baseVolumeId,
        format: "qcow2",
        size: args.diskGiB * 1024 ** 3,
      },
      // A new golden image is for new machines; a running node keeps the disk it has.
      { ...child, ignoreChanges: ["baseVolumeId"], deleteBeforeReplace: true },
    );
    const identity = new libvirt.CloudinitDisk(
      `${name}-identity`,
      {
        name: `${args.domainName}-identity.iso`,
        pool: args.storage.poolName,
        userData: pulumi.secret(
          pulumi
            .all([hostKey.privateKey, hostKey.publicKey, args.login.key.publicKey])
            .apply(([hostPrivateKey, hostPublicKey, loginKey]) =>
              userData({
                computerName: args.computerName,
                hostPrivateKey,
                hostPublicKey,
                authorizedKeys: [loginKey],
              }),
            ),
        ),
        metaData: metaData(args.domainName, args.computerName),
      },
      // Its id is unique for each making: a new disk is a new machine, and everything done on it is done again.
      { ...child, replaceWith: [disk], deleteBeforeReplace: true },
    );
    const domain = new libvirt.Domain(
      name,
      {
        name: args.domainName,
        type: args.domainType,
        machine: "q35",
        vcpu: args.cpus,
        memory: args.memoryMiB,
        cpu: cpuModes[args.domainType],
        disks: [{ volumeId: disk.id }],
        cloudinit: identity.id,
        networkInterfaces: [
          {
            networkId: args.networkId,
            hostname: args.computerName,
            mac: args.mac.toUpperCase(),
            addresses: [args.address],
            // Otherwise the provider records "no address", and every later preview shows one to be added.
            waitForLease: true,
          },
        ],
        consoles: [{ type: "pty", targetType: "serial", targetPort: "0" }],
        xml: { xslt: domainXslt() },
      },
      { ...child, deleteBeforeReplace: true },
    );

    this.name = args.computerName;
    this.os = args.os;
    this.address = args.address;
    this.hostKey = hostKey.publicKey;
    this.instanceId = identity.id;
    this.resource = domain;
    this.connection = pulumi.secret(
      pulumi
        .all([args.login.key.privateKey, hostKey.publicKey])
        .apply(([privateKey, publicKey]) => ({
          host: args.address,
          port: 22,
          user: args.login.user,
          privateKey,
          hostKey: publicKey,
          // Dial until the step's own time limit: a machine that boots refuses, or does not answer at all.
          dialErrorLimit: -1,
          // Of the TCP connection alone, on a segment of this host: one that reboots does not answer.
          perDialTimeout: 3,
        })),
    );
    this.registerOutputs({ address: this.address, hostKey: this.hostKey });
  }
}
