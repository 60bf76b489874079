import { writeFile } from "node:fs/promises";

/** Size of a WIM file's header, and what it begins with: wimlib's include/wimlib/header.h. */
const headerBytes = 208;
const magic = Buffer.from("MSWIM\0\0\0", "latin1");

/** Places in the header. */
const partNumberField = 40;
const partCountField = 42;

/** Places of what says where things lie: size with flags, place, size when unpacked; 24 bytes each. */
const placeBytes = 24;
const blobTableField = 48;
const imageListField = 72;
const integrityTableField = 124;

/** Lists of images have some ten kilobytes; more than this is nonsense. */
const maxListBytes = 64 * 1024 ** 2;

/** It is no WIM file, or not a whole one. */
export class NotAWim extends Error {
  override readonly name = "NotAWim";
}

/**
 * Keeps of a WIM file only what names its images, as a small WIM file without content: the header, told so, and the
 * list of images, which mostly lies at the end. Thus gigabytes inside an ISO are read once, and none is written.
 *
 * Stops reading behind the list, so that whoever sends the rest can be stopped.
 *
 * @param content the WIM file from its beginning on.
 * @param bytes size of the whole file.
 * @throws NotAWim saying what is wrong with it.
 */
export async function saveWimIndex(
  content: AsyncIterable<Buffer>,
  bytes: number,
  into: string,
): Promise<void> {
  let header: Buffer = Buffer.alloc(0);
  let list: { readonly start: number; readonly content: Buffer } | undefined;
  let position = 0;
  for await (const chunk of content) {
    header = Buffer.concat([header, chunk.subarray(0, headerBytes - header.length)]);
    if (header.length === headerBytes) {
      list ??= listPlace(header, bytes);
      const { start, content: kept } = list;
      if (position + chunk.length > start) {
        chunk.copy(kept, Math.max(0, position - start), Math.max(0, start - position));
      }
      if (position + chunk.length >= start + kept.length) {
        await writeFile(into, Buffer.concat([indexHeader(header, kept.length), kept]), {
          mode: 0o600,
        });
        return;
      }
    }
    position += chunk.length;
  }
  throw new NotAWim(
    header.length < headerBytes ? "is too short for a WIM file" : `ends after ${position} bytes`,
  );
}

/** Where the list of images begins, and a buffer of its size. */
function listPlace(header: Buffer, bytes: number): { start: number; content: Buffer } {
  if (!header.subarray(0, magic.length).equals(magic)) {
    throw new NotAWim("is not a WIM file");
  }
  // The upper byte of the size holds flags.
  const size = Number(header.readBigUInt64LE(imageListField) & 0x00ff_ffff_ffff_ffffn);
  const start = Number(header.readBigUInt64LE(imageListField + 8));
  if (start < headerBytes || size > maxListBytes || start + size > bytes) {
    throw new NotAWim("is damaged or cut off: its list of images is not within it");
  }
  return { start, content: Buffer.alloc(size) };
}

/**
 * The header of a WIM file that has nothing but the list, right behind the header: it says to be the second part of
 * two, since in a first part wimlib misses the images' content, and lists none.
 */
function indexHeader(header: Buffer, listBytes: number): Buffer {
  const own = Buffer.from(header);
  own.writeUInt16LE(2, partNumberField);
  own.writeUInt16LE(2, partCountField);
  own.fill(0, blobTableField, blobTableField + placeBytes);
  own.fill(0, integrityTableField, integrityTableField + placeBytes);
  const flags = own.readBigUInt64LE(imageListField) & 0xff00_0000_0000_0000n;
  own.writeBigUInt64LE(flags | BigInt(listBytes), imageListField);
  own.writeBigUInt64LE(BigInt(headerBytes), imageListField + 8);
  return own;
}
