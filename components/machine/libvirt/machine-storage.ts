import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import * as libvirt from "@pulumi/libvirt";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import type { UefiFirmware } from "./uefi-firmware.ts";
import type { environment } from "../actions/remove-images.ts";
import { poolXslt } from "./lab-mark.ts";
import { closedVolumeXslt } from "./xslt.ts";

export interface MachineStorageArgs {
  /** libvirt connection URI, e.g. `qemu:///system`. */
  readonly uri: string;
  /** The hypervisor. Default: this host. */
  readonly hypervisor?: NonNullable<Facts<"kindows:machine:MachineStorage">["hypervisor"]>;
  /** Name of the libvirt pool, e.g. `kindows-rehearsal`. */
  readonly poolName: string;
  /** Folder of the pool, which is made and removed with the pool. */
  readonly poolPath: string;
  /** The golden image on this host, qcow2. Undefined: only the pool is made. */
  readonly image: GoldenImage | undefined;
  /** Puts the image into the pool of another storage, with this prefix for its name. Default: a new pool. */
  readonly within?: { readonly storage: MachineStorage; readonly imagePrefix: string };
  /** The lab's random id, which the pool and the machines carry. Undefined outside a lab. */
  readonly labId?: pulumi.Output<string>;
  readonly libvirtProvider: libvirt.Provider;
}

/** A disk on this host that machines start from. */
export interface GoldenImage {
  readonly path: string;
  /** Hash of the content. It is part of the volume's name, so that a new image is a new volume. */
  readonly hash: string;
  /** UEFI firmware files, if the image was installed with UEFI. Default: BIOS. */
  readonly uefi?: UefiFirmware | undefined;
}

/**
 * Storage for the disks of a lab's machines: a pool with the golden image, which is the read-only base of all overlays.
 *
 * The image is uploaded through libvirt, not used in place, because QEMU runs as a user that cannot read home folders.
 * Machines keep their disks, so an old image is kept as long as a machine uses it. Unused images are removed when
 * another new image is uploaded, and when the lab is deleted.
 */
export class MachineStorage extends pulumi.ComponentResource {
  readonly uri: string;
  readonly poolName: pulumi.Output<string>;
  readonly labId: pulumi.Output<string> | undefined;
  private readonly pool: libvirt.Pool;
  readonly #baseVolumeId: pulumi.Output<string> | undefined;

  constructor(name: string, args: MachineStorageArgs, opts?: pulumi.ComponentResourceOptions) {
    const facts: Facts<"kindows:machine:MachineStorage"> = { hypervisor: args.hypervisor };
    super("kindows:machine:MachineStorage", name, { facts }, opts);
    const pool =
      args.within?.storage.pool ??
      new libvirt.Pool(
        name,
        {
          name: args.poolName,
          type: "dir",
          target: { path: args.poolPath },
          ...(args.labId && {
            xml: { xslt: args.labId.apply((id) => poolXslt(args.poolName, id)) },
          }),
        },
        { parent: this, provider: args.libvirtProvider, ignoreChanges: ["xml"] },
      );
    this.pool = pool;
    this.uri = args.uri;
    this.labId = args.labId;
    this.poolName = pool.name;
    this.#baseVolumeId = args.image && this.#goldenImage(name, args, args.image);
    this.registerOutputs({ poolName: this.poolName, baseVolumeId: this.#baseVolumeId });
  }

  /** @throws if the storage has no image. */
  get baseVolumeId(): pulumi.Output<string> {
    if (this.#baseVolumeId === undefined) throw new Error("this storage has no image");
    return this.#baseVolumeId;
  }

  #goldenImage(name: string, args: MachineStorageArgs, image: GoldenImage): pulumi.Output<string> {
    const { pool } = this;
    const prefix = args.within?.imagePrefix;
    const imageName = `${prefix ?? args.poolName}-${image.hash}.qcow2`;
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
        source: image.path,
        format: "qcow2",
        xml: { xslt: closedVolumeXslt },
      },
      // The image may have another path in another clone or cache. The hash in the name identifies it.
      // The command above deletes the volume, if no machine uses it.
      {
        parent: this,
        provider: args.libvirtProvider,
        ignoreChanges: ["source", "xml"],
        retainOnDelete: true,
        dependsOn: images,
      },
    );
    return base.id;
  }
}
