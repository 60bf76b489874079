import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import * as libvirt from "@pulumi/libvirt";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import type { UefiFirmware } from "../../windows/image/builder/qemu-command.ts";
import type { environment } from "../actions/remove-images.ts";

export interface MachineStorageArgs {
  /** libvirt connection, e.g. `qemu:///system`. */
  readonly uri: string;
  /** The hypervisor, if it is not that of this host. */
  readonly hypervisor?: NonNullable<Facts<"kindows:machine:MachineStorage">["hypervisor"]>;
  /** Name of the libvirt pool, e.g. `kindows-rehearsal`. */
  readonly poolName: string;
  /** Folder of the pool; made and removed with it. */
  readonly poolPath: string;
  /** The golden image on this host, qcow2. */
  readonly image: GoldenImage;
  /** One more image in the pool of another storage, whose volumes have names of that beginning. Default: a pool of its own. */
  readonly within?: { readonly storage: MachineStorage; readonly imagePrefix: string };
  readonly libvirtProvider: libvirt.Provider;
}

/** A disk that machines start from, on this host. */
export interface GoldenImage {
  readonly path: string;
  /** Content hash; part of the volume's name, so that a new image is a new volume. */
  readonly hash: string;
  /** UEFI's files, for machines whose image was installed with it; undefined: BIOS. */
  readonly uefi?: UefiFirmware | undefined;
}

/**
 * Where the disks of a lab's machines lie: one pool, and in it the golden image as a read-only base of all overlays.
 *
 * The image is uploaded through libvirt rather than used in place: QEMU runs as a user of its own, who cannot read
 * somebody's home. An image that is followed by another one stays until no machine stands on it and a third one comes, or
 * the lab goes: a machine keeps the disk it started from.
 */
export class MachineStorage extends pulumi.ComponentResource {
  /** libvirt connection. */
  readonly uri: string;
  readonly poolName: pulumi.Output<string>;
  readonly baseVolumeId: pulumi.Output<string>;
  /** For `dependsOn`: what lies in the pool. */
  private readonly pool: libvirt.Pool;

  constructor(name: string, args: MachineStorageArgs, opts?: pulumi.ComponentResourceOptions) {
    const facts: Facts<"kindows:machine:MachineStorage"> = { hypervisor: args.hypervisor };
    super("kindows:machine:MachineStorage", name, { facts }, opts);
    const pool =
      args.within?.storage.pool ??
      new libvirt.Pool(
        name,
        { name: args.poolName, type: "dir", target: { path: args.poolPath } },
        { parent: this, provider: args.libvirtProvider },
      );
    const prefix = args.within?.imagePrefix;
    const imageName = `${prefix ?? args.poolName}-${args.image.hash}.qcow2`;
    const images = new local.Command(
      `${name}-images`,
      hostAction<typeof environment>({
        create: "machine/remove-images --unused",
        delete: "machine/remove-images",
        environment: { IMAGES: { uri: args.uri, pool: args.poolName, keep: imageName, prefix } },
      }),
      { parent: this, dependsOn: pool },
    );
    const base = new libvirt.Volume(
      `${name}-base`,
      {
        name: imageName,
        pool: pool.name,
        source: args.image.path,
        format: "qcow2",
      },
      // The same image may lie elsewhere in another clone or cache; its hash in the name is what counts.
      // Deleted by the command above, which looks who stands on it.
      {
        parent: this,
        provider: args.libvirtProvider,
        ignoreChanges: ["source"],
        retainOnDelete: true,
        dependsOn: images,
      },
    );
    this.pool = pool;
    this.uri = args.uri;
    this.poolName = pool.name;
    this.baseVolumeId = base.id;
    this.registerOutputs({ poolName: this.poolName, baseVolumeId: this.baseVolumeId });
  }
}
