import type { SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";
import type { Check } from "./check.ts";
import { namedFileProblems, type NamedFile } from "./named-file.ts";

type Image = NamedSettings["windows"]["image"];

const at = (...keys: readonly string[]): string[] => ["windows", "image", ...keys];

/** Images that are made of media; the others are there already. */
type MadeImage = Extract<Image, { kind: "iso" | "evaluation-iso" }>;

/** Nothing is downloaded without a checksum, and each file has one source. */
export const imageMedia: readonly Check[] = [
  check(["url", "sha256"], (image) =>
    image.kind === "evaluation-iso" ? namedFileProblems(image, at(), "url") : [],
  ),
  check(["url", "language"], (image) => (image.kind === "evaluation-iso" ? foreign(image) : [])),
  medium("drivers"),
  medium("openSsh"),
  check(["openSsh"], (image, version) => unneededOpenSsh(image.openSsh, version), [
    "windows.version",
  ]),
  medium("update"),
  check(
    ["update", "update.kb", "update.path", "update.url"],
    (image, version) => updateByNumber(image.update, version),
    ["windows.version"],
  ),
];

/** One check; the keys below `windows.image` that it needs whole, so that it makes no second mistake of one. */
function check(
  keys: readonly string[],
  judge: (image: MadeImage, windowsVersion: string) => SettingsProblem[],
  more: readonly string[] = [],
): Check {
  const reads = keys.map((key) => `windows.image.${key}`);
  return {
    reads: ["windows.image", "windows.image.kind", ...reads, ...more],
    run: ({ windows: { image, version } }) =>
      image.kind === "rehearsal" || image.kind === "disk" ? [] : judge(image, version),
  };
}

function medium(key: "drivers" | "openSsh" | "update"): Check {
  return check([key, `${key}.path`, `${key}.url`, `${key}.sha256`], (image) =>
    namedFileProblems(image[key], at(key)),
  );
}

/** The evaluation that is pinned here is in English. */
function foreign(image: Extract<Image, { kind: "evaluation-iso" }>): SettingsProblem[] {
  return image.language === "en-US" || image.url !== undefined
    ? []
    : [
        {
          path: at("language"),
          value: image.language,
          why: "is not that of the evaluation ISO pinned here, en-US",
          instead: "Write url and sha256 of one in it, or leave it out.",
        },
      ];
}

function updateByNumber(
  { kb, path, url }: MadeImage["update"],
  version: string,
): SettingsProblem[] {
  const problem = (why: string, instead: string): SettingsProblem[] => [
    { path: at("update", "kb"), value: kb, why, instead },
  ];
  if (kb === undefined) return [];
  if (path !== undefined || url !== undefined) {
    return problem("stands beside a path or url", "Write one of them.");
  }
  return version === "2022"
    ? []
    : problem("is looked for only for Windows Server 2022", "Write path or url, or leave it out.");
}

function unneededOpenSsh(openSsh: NamedFile, version: string): SettingsProblem[] {
  return version === "2025" && Object.keys(openSsh).length > 0
    ? [
        {
          path: at("openSsh"),
          value: openSsh,
          why: "has no effect: Windows Server 2025 has its own",
          instead: "Leave it out.",
        },
      ]
    : [];
}
