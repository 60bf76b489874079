import { type Complaint, unless } from "../../../config/problem.ts";
import {
  windowsBuilds,
  type WindowsEdition,
  type WindowsVersion,
} from "../../../config/supported.ts";
import { MediaError } from "../../machine/disk/media-program.ts";
import { defaultRequirements } from "../host-requirements.ts";
import { nameAnUpdate, neededWindows } from "./update-catalogue.ts";
import type { WindowsImage } from "./windows-images.ts";

/** The wanted Windows. */
export interface WantedWindows {
  readonly version: WindowsVersion;
  readonly edition: WindowsEdition;
  readonly language: string;
  /** Whether an update is installed, so that the revision on the ISO does not matter. */
  readonly updated: boolean;
}

/**
 * Chooses the image of an ISO that is installed.
 *
 * @param iso its path, for problems.
 * @throws MediaError with all problems of those that are there.
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
      why: `holds no Windows Server (its images: ${names})`,
      instead: "Write the path of an ISO of Windows Server.",
    });
  }
  const image = servers.find((each) => editionOf(each) === wanted.edition);
  if (image === undefined) {
    const there = servers.map((each) => editionOf(each) ?? each.name).join(", ");
    throw new MediaError({
      subject: iso,
      why: `has no edition "${wanted.edition}"`,
      instead: `It has: ${there}. Write one of them for kindows:windows.image.edition, or use another ISO.`,
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

/** The settings' name of an image's edition; undefined if they have none. */
export function editionOf(image: WindowsImage): WindowsEdition | undefined {
  // Evaluations end with "Eval"; a running Server Core has "Cor" in its name, images on the ISO usually do not.
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
        why: `holds build ${build}, and Windows Server ${version} is build ${expected}`,
        instead: `Use an ISO of Windows Server ${version}${orWrite}.`,
      },
    ];
  }
  const { minimumBuild, minimumRevision } = defaultRequirements;
  return unless(build !== minimumBuild || revision >= minimumRevision || updated, {
    why: `holds ${build}.${revision}, and a node needs ${neededWindows}`,
    instead: nameAnUpdate,
  });
}
