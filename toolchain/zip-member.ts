import { inflateRawSync } from "node:zlib";

/** Signatures and lengths of a ZIP file's records: PKWARE's APPNOTE.TXT, section 4.3. */
const endOfDirectory = { signature: 0x06054b50, length: 22 };
const directoryEntry = { signature: 0x02014b50, length: 46 };
const localHeader = { signature: 0x04034b50, length: 30 };

const stored = 0;
const deflated = 8;

/**
 * Members by name. Supports neither archives over 4 GiB nor encryption, and checks no CRC, because callers have
 * verified the SHA-256 of the whole file.
 */
export function zipMembers(zip: Buffer): ReadonlyMap<string, () => Buffer> {
  return undamaged(() => directoryOf(zip));
}

/** @throws instead of a RangeError, which comes of a number that points behind the end. */
function undamaged<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new Error("not a ZIP file: its directory is damaged");
    throw error;
  }
}

function directoryOf(zip: Buffer): ReadonlyMap<string, () => Buffer> {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0 || end + endOfDirectory.length > zip.length) {
    throw new Error("not a ZIP file: it has no directory");
  }
  const members = new Map<string, () => Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== directoryEntry.signature) {
      throw new Error("not a ZIP file: its directory is damaged");
    }
    const entry = at;
    const nameLength = zip.readUInt16LE(entry + 28);
    const name = zip.toString(
      "utf8",
      entry + directoryEntry.length,
      entry + directoryEntry.length + nameLength,
    );
    members.set(name, () => undamaged(() => unpack(zip, entry, name)));
    at += directoryEntry.length + nameLength;
    at += zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32);
  }
  return members;
}

function unpack(zip: Buffer, entry: number, name: string): Buffer {
  const method = zip.readUInt16LE(entry + 10);
  const header = zip.readUInt32LE(entry + 42);
  const start =
    header + localHeader.length + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const packed = zip.subarray(start, start + zip.readUInt32LE(entry + 20));
  if (method === stored) return packed;
  if (method !== deflated) {
    throw new Error(`${name} has the compression method ${method}, which is not supported`);
  }
  return inflateRawSync(packed);
}
