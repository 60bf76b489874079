import { type Complaint, unless } from "../../config/problem.ts";
import { windowsBuilds, type WindowsEdition, type WindowsVersion } from "../../config/supported.ts";
import { below, readXml, type XmlElement } from "../../host/read-xml.ts";
import type { WantedDisk } from "../disk/examine-disk.ts";
import { MediaError } from "../disk/media-program.ts";
import { defaultRequirements } from "../../components/windows/host-requirements.ts";
import { nameAnUpdate, neededWindows } from "./update-catalogue.ts";

export interface WindowsImage {
  /** Number of the image in its file, from 1. */
  readonly index: number;
  readonly name: string;
  /** E.g. `ServerStandardEval`. */
  readonly editionId: string;
  /** `Server Core`, `Server` (with a desktop), or `Client`. */
  readonly installationType: string;
  /** `x86_64` or `ARM64`; empty if unknown. */
  readonly architecture: string;
  /** E.g. 20348. */
  readonly build: number;
  /** Update revision (UBR), e.g. 2762. */
  readonly revision: number;
  readonly languages: readonly string[];
}

/** Requirements on a disk with Windows Server. Microsoft requires at least 10 GiB for Core. */
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

/** The file is not a WIM file, or is incomplete. */
export class NotAWim extends Error {
  override readonly name = "NotAWim";
}

/** Size of a WIM file's header, and its magic bytes (wimlib, include/wimlib/header.h). */
const headerBytes = 208;
const magic = Buffer.from("MSWIM\0\0\0", "latin1");

/** Where the header has the size and offset of the list of images, which is uncompressed XML. */
const imageListField = 72;

/** Maximum accepted size. Lists of images usually have some ten kilobytes. */
const maxListBytes = 64 * 1024 ** 2;

/**
 * Reads the list of images in a WIM or ESD file from a stream. The list is usually at the end of the file, so this
 * reads gigabytes but keeps only the list. It stops reading after the list, so that the sender can be stopped.
 *
 * @param bytes size of the file.
 * @throws NotAWim with the reason.
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
      list ??= listLocation(header, bytes);
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

function listLocation(header: Buffer, bytes: number): { start: number; content: Buffer } {
  if (!header.subarray(0, magic.length).equals(magic)) throw new NotAWim("is not a WIM file");
  // The upper byte of the size contains flags.
  const size = Number(header.readBigUInt64LE(imageListField) & 0x00ff_ffff_ffff_ffffn);
  const start = Number(header.readBigUInt64LE(imageListField + 8));
  if (start < headerBytes || size > maxListBytes || start + size > bytes) {
    throw new NotAWim("is damaged or truncated: its list of images is not within it");
  }
  return { start, content: Buffer.alloc(size) };
}

/** Processor architectures by their numbers in a list of images. */
const architectures: Readonly<Record<string, string>> = { 9: "x86_64", 12: "ARM64" };

/** Parses a list of images. Missing values are empty or 0. */
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

export interface WantedWindows {
  readonly version: WindowsVersion;
  readonly edition: WindowsEdition;
  readonly language: string;
  /** Whether an update will be installed. Then the revision on the ISO does not matter. */
  readonly updated: boolean;
}

/**
 * Chooses the image to install from an ISO.
 *
 * @throws MediaError if there is no suitable one, with all reasons.
 */
export function chooseImage(
  iso: string,
  images: readonly WindowsImage[],
  wanted: WantedWindows,
): WindowsImage {
  const servers = images.filter(isServer);
  if (servers.length === 0) {
    const names = images.map(({ name }) => name).join(", ") || "none";
    throw new MediaError({
      subject: iso,
      why: `contains no Windows Server (its images: ${names})`,
      instead: "Write the path of an ISO of Windows Server.",
    });
  }
  const image = servers.find((each) => editionOf(each) === wanted.edition);
  if (image === undefined) {
    const available = servers.map((each) => editionOf(each) ?? each.name).join(", ");
    throw new MediaError({
      subject: iso,
      why: `has no edition "${wanted.edition}"`,
      instead: `It has: ${available}. Write one of them for kindows:windows.image.edition, or use another ISO.`,
    });
  }
  const { architecture, languages } = image;
  const complaints = [
    ...unless(architecture === "x86_64", {
      why: `is for ${architecture || "an unknown processor"}, and the machines are x86_64`,
      instead: "Use the ISO for x64.",
    }),
    ...wrongBuild(image, wanted),
    ...unless(
      languages.some((one) => one.toLowerCase() === wanted.language.toLowerCase()),
      {
        why: `is not in the language "${wanted.language}"`,
        instead: `It has: ${languages.join(", ")}. Write that for kindows:windows.image.language.`,
      },
    ),
  ];
  if (complaints.length > 0) {
    throw new MediaError(...complaints.map((each) => ({ subject: iso, ...each })));
  }
  return image;
}

/** The name of an image's edition in the settings; undefined if the settings do not support it. */
export function editionOf(image: WindowsImage): WindowsEdition | undefined {
  // Evaluations have "Eval" in their id. A running Server Core has "Cor" too; images on an ISO usually do not.
  const family = /^Server(Standard|Datacenter)(Eval)?(Cor)?$/.exec(image.editionId)?.[1];
  const kinds = { "Server Core": "core", Server: "desktop" } as const;
  const kind = kinds[image.installationType as keyof typeof kinds] as
    (typeof kinds)[keyof typeof kinds] | undefined;
  return family === undefined || kind === undefined
    ? undefined
    : `${family === "Standard" ? "standard" : "datacenter"}-${kind}`;
}

function isServer({ editionId, installationType }: WindowsImage): boolean {
  return editionId.startsWith("Server") && installationType.startsWith("Server");
}

function wrongBuild(
  { build, revision }: WindowsImage,
  { version, updated }: WantedWindows,
): Complaint[] {
  const expected = windowsBuilds[version];
  if (build !== expected) {
    const other = Object.entries(windowsBuilds).find(([, known]) => known === build)?.[0];
    const orWrite = other === undefined ? "" : `, or write "${other}" for kindows:windows.version`;
    return [
      {
        why: `contains build ${build}, and Windows Server ${version} is build ${expected}`,
        instead: `Use an ISO of Windows Server ${version}${orWrite}.`,
      },
    ];
  }
  const { minimumBuild, minimumRevision } = defaultRequirements;
  return unless(build !== minimumBuild || revision >= minimumRevision || updated, {
    why: `contains ${build}.${revision}, and a node needs ${neededWindows}`,
    instead: nameAnUpdate,
  });
}
