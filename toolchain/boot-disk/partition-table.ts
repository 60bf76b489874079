/** One primary partition of a DOS partition table. */
export interface Partition {
  /** First byte; a multiple of 512. */
  readonly start: number;
  /** Size in bytes; a multiple of 512. */
  readonly size: number;
  /** Type, e.g. 0x0c for FAT32, 0x83 for Linux. */
  readonly type: number;
  /** Whether the boot code starts from it. */
  readonly active: boolean;
}

const sectorSize = 512;
const tableOffset = 446;
const entrySize = 16;
const maximumPartitions = 4;

/**
 * First sector of a disk: boot code and partition table.
 *
 * Addresses are by sector number only; the old cylinder fields hold what means "too large for them".
 *
 * @throws when a partition is not on whole sectors, overlaps the one before, or there are more than four.
 */
export function masterBootRecord(bootCode: Buffer, partitions: readonly Partition[]): Buffer {
  if (bootCode.length > tableOffset) throw new Error(`boot code of ${bootCode.length} bytes`);
  if (partitions.length > maximumPartitions) throw new Error("more than four primary partitions");
  const sector = Buffer.alloc(sectorSize);
  bootCode.copy(sector);
  let end = sectorSize;
  partitions.forEach((partition, index) => {
    if (partition.start % sectorSize !== 0 || partition.size % sectorSize !== 0) {
      throw new Error(`partition ${index + 1} is not on whole sectors`);
    }
    if (partition.start < end) throw new Error(`partition ${index + 1} overlaps the one before`);
    end = partition.start + partition.size;
    const entry = sector.subarray(tableOffset + index * entrySize);
    entry.writeUInt8(partition.active ? 0x80 : 0, 0);
    entry.writeUIntLE(0xfffffe, 1, 3);
    entry.writeUInt8(partition.type, 4);
    entry.writeUIntLE(0xfffffe, 5, 3);
    entry.writeUInt32LE(partition.start / sectorSize, 8);
    entry.writeUInt32LE(partition.size / sectorSize, 12);
  });
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}
