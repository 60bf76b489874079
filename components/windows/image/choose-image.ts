import type { HostProblem } from "../../../config/host-problem.ts";
import type { WindowsEdition, WindowsVersion } from "../../../config/supported.ts";
import { windowsBuilds } from "../../../config/supported.ts";
import { defaultRequirements } from "../host-requirements.ts";
import { nameAnUpdate, neededWindows } from "./update.ts";
import type { WindowsImage } from "./windows-images.ts";

/** The wanted Windows. */
export interface WantedWindows {
  readonly version: WindowsVersion;
  readonly edition: WindowsEdition;
  /** E.g. `en-US`. */
  readonly language: string;
  /** Whether an update is installed, so that the revision on the ISO does not matter. */
  readonly updated: boolean;
}

/** The image to install, or all problems of the existing ones. */
export type ImageChoice =
  | { readonly image: WindowsImage; readonly problems: readonly [] }
  | { readonly image: undefined; readonly problems: readonly HostProblem[] };

/**
 * Chooses an image of an ISO.
 *
 * @param iso its path, for problems.
 */
export function chooseImage(
  iso: string,
  images: readonly WindowsImage[],
  wanted: WantedWindows,
): ImageChoice {
  const refuse = (why: string, instead: string): ImageChoice => ({
    image: undefined,
    problems: [{ subject: iso, why, instead }],
  });
  const servers = images.filter(isServer);
  if (servers.length === 0) {
    const names = images.map(({ name }) => name).join(", ") || "none";
    return refuse(
      `holds no Windows Server (its images: ${names})`,
      "Write the path of an ISO of Windows Server.",
    );
  }
  const image = servers.find((each) => editionOf(each) === wanted.edition);
  if (image === undefined) {
    const there = servers.map((each) => editionOf(each) ?? each.name).join(", ");
    return refuse(
      `has no edition "${wanted.edition}"`,
      `It has: ${there}. Write one of them for kindows:windows.image.edition, or use another ISO.`,
    );
  }
  const problems = [
    ...wrongArchitecture(image),
    ...wrongBuild(image, wanted),
    ...wrongLanguage(image, wanted.language),
  ].map((complaint) => ({ subject: iso, ...complaint }));
  return problems.length === 0 ? { image, problems: [] } : { image: undefined, problems };
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

type Complaints = readonly Omit<HostProblem, "subject">[];

function wrongArchitecture({ architecture }: WindowsImage): Complaints {
  return architecture === "x86_64"
    ? []
    : [
        {
          why: `is for ${architecture || "an unknown processor"}, and the machines are x86_64`,
          instead: "Use the ISO for x64.",
        },
      ];
}

function wrongBuild(
  { build, revision }: WindowsImage,
  { version, updated }: WantedWindows,
): Complaints {
  const expected = windowsBuilds[version];
  if (build !== expected) {
    const other = Object.entries(windowsBuilds).find(([, known]) => known === build)?.[0];
    return [
      {
        why: `holds build ${build}, and Windows Server ${version} is build ${expected}`,
        instead:
          other === undefined
            ? `Use an ISO of Windows Server ${version}.`
            : `Use an ISO of Windows Server ${version}, or write "${other}" for kindows:windows.version.`,
      },
    ];
  }
  const { minimumBuild, minimumRevision } = defaultRequirements;
  return build === minimumBuild && revision < minimumRevision && !updated
    ? [
        {
          why: `holds ${build}.${revision}, and a node needs ${neededWindows}`,
          instead: nameAnUpdate,
        },
      ]
    : [];
}

function wrongLanguage({ languages }: WindowsImage, wanted: string): Complaints {
  return languages.some((one) => one.toLowerCase() === wanted.toLowerCase())
    ? []
    : [
        {
          why: `is not in the language "${wanted}"`,
          instead: `It has: ${languages.join(", ")}. Write that for kindows:windows.image.language.`,
        },
      ];
}
