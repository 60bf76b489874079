import { element } from "./xml.ts";
import type { XmlElement } from "./xml.ts";
import { item, values } from "./unattend.ts";

/** Firmware of the machines. */
export type Firmware = "bios" | "uefi";

/** A partition Setup makes. */
interface Partition {
  readonly type: "Primary" | "EFI" | "MSR";
  /** In MiB; the last one takes the rest. */
  readonly size?: number;
  /** Its file system; a reserved one has none. */
  readonly format?: Readonly<Record<string, string | boolean>>;
}

/**
 * Windows is last, so that it can grow with the disk. No recovery partition, which would be behind Windows and prevent that:
 * a node is replaced instead.
 */
const layouts: Readonly<Record<Firmware, readonly Partition[]>> = {
  bios: [
    { type: "Primary", size: 350, format: { Format: "NTFS", Label: "System", Active: true } },
    { type: "Primary", format: { Format: "NTFS", Label: "Windows", Letter: "C" } },
  ],
  uefi: [
    { type: "EFI", size: 128, format: { Format: "FAT32", Label: "System" } },
    { type: "MSR", size: 16 },
    { type: "Primary", format: { Format: "NTFS", Label: "Windows", Letter: "C" } },
  ],
};

/** The only disk during Setup, as everything else is a CD. */
const diskId = 0;

/** Partitions of the empty disk. */
export function diskConfiguration(firmware: Firmware): XmlElement {
  const partitions = layouts[firmware].map((partition, index) => ({
    ...partition,
    order: index + 1,
  }));
  const formatted = partitions.filter(({ format }) => format !== undefined);
  return element("DiskConfiguration", [
    item("Disk", [
      element(
        "CreatePartitions",
        partitions.map(({ order, type, size }) =>
          item(
            "CreatePartition",
            values({
              Order: order,
              Type: type,
              ...(size === undefined ? { Extend: true } : { Size: size }),
            }),
          ),
        ),
      ),
      element(
        "ModifyPartitions",
        formatted.map(({ order, format }, index) =>
          item("ModifyPartition", values({ Order: index + 1, PartitionID: order, ...format })),
        ),
      ),
      ...values({ DiskID: diskId, WillWipeDisk: true }),
    ]),
    ...values({ WillShowUI: "OnError" }),
  ]);
}

/** The last partition, which is for Windows. */
export function installTo(firmware: Firmware): XmlElement {
  return element("InstallTo", values({ DiskID: diskId, PartitionID: layouts[firmware].length }));
}
