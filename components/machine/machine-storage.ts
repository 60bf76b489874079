import * as pulumi from "@pulumi/pulumi";
import * as libvirt from "@pulumi/libvirt";

export interface MachineStorageArgs {
  /** Name of the libvirt pool, e.g. `kindows-rehearsal`. */
  readonly poolName: string;
  /** Folder of the pool; made and removed with it. */
  readonly poolPath: string;
  /** The golden image on this host, qcow2. */
  readonly image: {
    readonly path: string;
    /** Content hash; part of the volume's name, so that a new image is a new volume. */
    readonly hash: string;
  };
  readonly libvirtProvider: libvirt.Provider;
}

/**
 * Where the disks of a lab's machines lie: one pool, and in it the golden image as a read-only base of all overlays.
 *
 * The image is uploaded through libvirt rather than used in place: QEMU runs as a user of its own, who cannot read
 * somebody's home.
 */
export class MachineStorage extends pulumi.ComponentResource {
  readonly poolName: pulumi.Output<string>;
  readonly baseVolumeId: pulumi.Output<string>;

  constructor(name: string, args: MachineStorageArgs, opts?: pulumi.ComponentResourceOptions) {
    super(
      "kindows:machine:MachineStorage",
      name,
      { poolName: args.poolName, imageHash: args.image.hash },
      opts,
    );
    const pool = new libvirt.Pool(
      name,
      { name: args.poolName, type: "dir", target: { path: args.poolPath } },
      { parent: this, provider: args.libvirtProvider },
    );
    const base = new libvirt.Volume(
      `${name}-base`,
      {
        name: `${args.poolName}-${args.image.hash}.qcow2`,
        pool: pool.name,
        source: args.image.path,
        format: "qcow2",
      },
      // The same image may lie elsewhere in another clone or cache; its hash in the name is what counts.
      { parent: this, provider: args.libvirtProvider, ignoreChanges: ["source"] },
    );
    this.poolName = pool.name;
    this.baseVolumeId = base.id;
    this.registerOutputs({ poolName: this.poolName, baseVolumeId: this.baseVolumeId });
  }
}
