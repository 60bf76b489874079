import { below, readXml, type XmlElement } from "../../../host/read-xml.ts";
import type { WantedDisk } from "../../machine/disk/examine-disk.ts";

/** A Windows that a WIM file can install. */
export interface WindowsImage {
  /** Number in its file, from 1. */
  readonly index: number;
  readonly name: string;
  /** E.g. `ServerStandardEval`. */
  readonly editionId: string;
  /** `Server Core`, `Server` (with a desktop), or `Client`. */
  readonly installationType: string;
  /** `x86_64`, `ARM64`; empty if it is none that is known. */
  readonly architecture: string;
  /** E.g. 20348. */
  readonly build: number;
  /** Its update revision (UBR), e.g. 2762. */
  readonly revision: number;
  readonly languages: readonly string[];
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

/** It is no WIM file, or an incomplete one. */
export class NotAWim extends Error {
  override readonly name = "NotAWim";
}

/** Size of a WIM file's header, and its magic bytes: wimlib's include/wimlib/header.h. */
const headerBytes = 208;
const magic = Buffer.from("MSWIM\0\0\0", "latin1");

/** Where the header has size and offset of the list of images: XML, which is never compressed. */
const imageListField = 72;

/** Maximum size: lists of images have some ten kilobytes. */
const maxListBytes = 64 * 1024 ** 2;

/**
 * The images of a WIM or ESD file. Their list is usually at its end, so gigabytes in an ISO are read once, and none are
 * written. Stops reading after the list, so that the sender can be stopped.
 *
 * @param content the file from its beginning.
 * @param bytes size of the whole file.
 * @throws NotAWim saying what is wrong with it.
 */
export async function readWindowsImages(
  content: AsyncIterable<Buffer>,
  bytes: number,
): Promise<WindowsImage[]> {
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
        return imagesInList(kept.toString("utf16le"));
      }
    }
    position += chunk.length;
  }
  throw new NotAWim(
    header.length < headerBytes ? "is too short for a WIM file" : `ends after ${position} bytes`,
  );
}

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

/** Processors by their numbers in such a list. */
const architectures: Readonly<Record<string, string>> = { 9: "x86_64", 12: "ARM64" };

/** Parses a list of images. Missing values are empty, or 0. */
export function imagesInList(xml: string): WindowsImage[] {
  return below(readXml(xml.replace(/^\ufeff/, "")), "WIM", "IMAGE").map((image) => {
    const windows = (...path: readonly string[]): readonly XmlElement[] =>
      below(image, "WINDOWS", ...path);
    const field = (...path: readonly string[]): string => windows(...path)[0]?.text ?? "";
    return {
      index: Number(image.attributes["INDEX"]),
      name: below(image, "NAME")[0]?.text ?? "",
      editionId: field("EDITIONID"),
      installationType: field("INSTALLATIONTYPE"),
      architecture: architectures[field("ARCH")] ?? "",
      build: Number(field("VERSION", "BUILD")),
      revision: Number(field("VERSION", "SPBUILD")),
      languages: windows("LANGUAGES", "LANGUAGE").map(({ text }) => text),
    };
  });
}
