import { writeFile } from "node:fs/promises";
import type { WantedDisk } from "../../machine/disk/examine-disk.ts";
import { runMediaProgram } from "../../machine/disk/media-program.ts";

/** A Windows that a WIM file can install. */
export interface WindowsImage {
  /** Number in its file, from 1. */
  readonly index: number;
  readonly name: string;
  /** E.g. `ServerStandardEval`. */
  readonly editionId: string;
  /** `Server Core`, `Server` (with a desktop), or `Client`. */
  readonly installationType: string;
  /** As wimlib calls it: `x86_64`, `ARM64`. */
  readonly architecture: string;
  /** E.g. 20348. */
  readonly build: number;
  /** Its update revision (UBR), e.g. 2762. */
  readonly revision: number;
  readonly languages: readonly string[];
}

const timeoutSeconds = 60;

/**
 * The images of a WIM or ESD file, or of an index of one.
 *
 * @throws NotAWim with wimlib's error if that cannot read it.
 */
export async function readWindowsImages(file: string): Promise<WindowsImage[]> {
  const info = await runMediaProgram("wiminfo", [file], timeoutSeconds);
  if (info.how !== "well") {
    const [words = ""] = info.stderr.trim().split("\n");
    throw new NotAWim(`can't be read by wimlib: ${words.replace(/^\[ERROR\] /, "")}`);
  }
  return parseWimInfo(info.stdout);
}

/** Parses the output of `wiminfo FILE`. Missing values are empty, or 0. */
export function parseWimInfo(text: string): WindowsImage[] {
  const [, images = ""] = text.split(/^Available Images:\n-+$/m);
  return images.split(/\n\n+/).flatMap((block) => {
    const field = (name: string): string =>
      new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(block)?.[1]?.trim() ?? "";
    return field("Index") === ""
      ? []
      : [
          {
            index: Number(field("Index")),
            name: field("Name"),
            editionId: field("Edition ID"),
            installationType: field("Installation Type"),
            architecture: field("Architecture"),
            build: Number(field("Build")),
            revision: Number(field("Service Pack Build")),
            languages: field("Languages").split(/\s+/).filter(Boolean),
          },
        ];
  });
}

/** Requirements of a disk with Windows Server; Microsoft requires at least 10 GiB for Core. */
export const windowsDisk: WantedDisk = {
  formats: ["qcow2", "vpc", "vhdx"],
  called: "qcow2, VHD or VHDX",
  isNone: "neither qcow2 nor VHD or VHDX",
  minimumGiB: 10,
  tooSmall: {
    why: "on which no Windows Server fits",
    instead: "Write the path of the disk Windows was installed on.",
  },
};

/** Size of a WIM file's header, and its magic bytes: wimlib's include/wimlib/header.h. */
const headerBytes = 208;
const magic = Buffer.from("MSWIM\0\0\0", "latin1");

/** Offsets in the header. */
const partNumberField = 40;
const partCountField = 42;

/** Offsets of resource entries: size with flags, offset, uncompressed size; 24 bytes each. */
const placeBytes = 24;
const blobTableField = 48;
const imageListField = 72;
const integrityTableField = 124;

/** Maximum size: lists of images have some ten kilobytes. */
const maxListBytes = 64 * 1024 ** 2;

/** It is no WIM file, or an incomplete one. */
export class NotAWim extends Error {
  override readonly name = "NotAWim";
}

/**
 * Extracts the list of images of a WIM file, as a small WIM file without content: an adapted header, and the list, which is
 * usually at the end. So gigabytes in an ISO are read once, and none are written.
 *
 * Stops reading after the list, so that the sender can be stopped.
 *
 * @param content the WIM file from its beginning.
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

/** Offset of the list of images, and a buffer for it. */
function listPlace(header: Buffer, bytes: number): { start: number; content: Buffer } {
  if (!header.subarray(0, magic.length).equals(magic)) throw new NotAWim("is not a WIM file");
  // The upper byte of the size has flags.
  const size = Number(header.readBigUInt64LE(imageListField) & 0x00ff_ffff_ffff_ffffn);
  const start = Number(header.readBigUInt64LE(imageListField + 8));
  if (start < headerBytes || size > maxListBytes || start + size > bytes) {
    throw new NotAWim("is damaged or cut off: its list of images is not within it");
  }
  return { start, content: Buffer.alloc(size) };
}

/**
 * The header of a WIM file with nothing but the list right after it. It claims to be the second part of two, as wimlib lists
 * no images of a first part without content.
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
