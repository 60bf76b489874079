import * as z from "zod";
import {
  downloadAddress,
  localFile,
  fileSha256,
  namedFile,
  namedFileProblems,
} from "../named-file.ts";
import { type Check, type Complaint, type SettingsProblem, unless } from "../problem.ts";
import { windowsEditions } from "../supported.ts";
import { ofForm, text, type Validator } from "../values/value.ts";

const updateNumber = ofForm(
  /^KB[0-9]{7}$/,
  "is not the number of an update",
  "Write one like KB5044281.",
);

const languageForm = ofForm(
  /^[a-z]{2,3}(-[A-Z][a-z]{3})?-[A-Z]{2}$/,
  "is not a language in the form that Windows uses",
  "Write one like en-US.",
);

/**
 * Windows' own Administrator has another name in these languages, and kindows logs in to its images as Administrator.
 * It is refused rather than renamed, because it is not documented that sysprep keeps a new name. (The group may have
 * any name: sshd knows it by its SID.)
 */
const administrators: Readonly<Record<string, string>> = {
  es: "Administrador",
  fi: "Järjestelmänvalvoja",
  fr: "Administrateur",
  hu: "Rendszergazda",
  pt: "Administrador",
  ru: "Администратор",
  sv: "Administratör",
};

export const language: Validator = (value) => {
  const name = administrators[value.split("-")[0] ?? ""];
  if (name === undefined) return languageForm(value);
  return {
    why: `is a language in which Windows calls its account Administrator ${name}: SSH could not log in to the image`,
    instead: "Use an English ISO; a language pack can be added on the machine.",
  };
};

const ownFile = (what: string) => namedFile(what, "`./kindows fetch`");

const updateFile = ownFile("a cumulative update of Microsoft's (`.msu`)")
  .unwrap()
  .extend({
    kb: text(updateNumber).optional().meta({
      description:
        "Or the number of the update, which is looked up in Microsoft's Update Catalog; use the newest. Only for 2022.",
      default: "KB5044281 for the pinned evaluation of 2022",
    }),
  });

const installation = {
  edition: z.enum(windowsEditions).default("standard-core").meta({
    description: "Edition on the ISO. The `core` editions have no desktop, and a node needs none.",
  }),
  language: text(language)
    .default("en-US")
    .meta({ description: "Language of the ISO, e.g. `de-DE`; Setup and Windows use it." }),
  firmware: z.enum(["bios", "uefi"]).optional().meta({
    description:
      "Firmware of the machines. Others who build images of 2025 have left `bios`; with it, Windows Setup starts without a key press.",
    default: "`uefi` for 2025, `bios` for 2022",
  }),
  drivers: ownFile("the virtio drivers' ISO (virtio-win)").meta({
    description:
      "ISO of virtio-win with the drivers for the machines' disk and network. Default: virtio-win 0.1.285, pinned; `./kindows fetch` downloads it.",
  }),
  openSsh: ownFile("`OpenSSH-Win64.zip` of Win32-OpenSSH").meta({
    description:
      "OpenSSH for Windows Server 2022, whose ISO does not contain it. 2025 has its own, and takes this one only if it is missing. Default: Win32-OpenSSH 10.0.0.0p2-Preview, pinned; `./kindows fetch` downloads it.",
  }),
  update: updateFile.prefault({}).meta({
    description:
      "Cumulative update to install into the image if the ISO is too old for a node, as the pinned evaluation of 2022 is. An update that is found by its number is locked in `software.lock.json`.",
  }),
};

export const image = z.discriminatedUnion("kind", [
  z
    .strictObject({
      kind: z.literal("rehearsal"),
      baked: z.boolean().default(true).meta({
        description:
          "Whether the image already contains what every node needs, like an image built from an ISO. If `false`, each machine installs the Containers feature, reboots and unpacks the programs.",
      }),
    })
    .meta({
      description:
        "The rehearsal guest, a stand-in for Windows that runs Kubernetes' own Windows programs under Wine.",
    }),
  z
    .strictObject({
      kind: z.literal("disk"),
      path: text(imagePath).meta({
        description:
          "Absolute path of the disk image (qcow2, VHD or VHDX) on this host: a Windows Server that was sealed as described in docs/windows-image.md.",
        placeholder: () => "/unnamed",
      }),
    })
    .meta({ description: "An existing Windows disk that you prepared." }),
  z
    .strictObject({
      kind: z.literal("evaluation-iso"),
      acceptLicence: z.boolean().default(false).meta({
        description:
          "Whether you have read and accept Microsoft's terms for evaluations: 180 days, activation over the internet within the first 10, not for production. If `false`, nothing is downloaded.",
      }),
      url: text(downloadAddress).optional().meta({
        description: "https address of another evaluation ISO; requires `sha256`.",
        default: "Microsoft's English ISO for `windows.version`, pinned",
      }),
      sha256: text(fileSha256)
        .optional()
        .meta({ description: "SHA-256 of the file at `url`, in lower case." }),
      ...installation,
    })
    .meta({
      description: "Microsoft's evaluation ISO, from which the image is built once.",
    }),
  z
    .strictObject({
      kind: z.literal("iso"),
      path: text(localFile).meta({
        description: "Absolute path of the ISO on this host.",
        placeholder: () => "/unnamed",
      }),
      sha256: text(fileSha256)
        .optional()
        .meta({ description: "SHA-256 of the ISO, in lower case.", default: "not checked" }),
      productKey: text(productKey).optional().meta({
        description:
          "Product key, e.g. a generic volume licence key; leave it out for evaluations. Anyone who can read the settings file can read it.",
      }),
      ...installation,
    })
    .meta({
      description: "Your own ISO of Windows Server, from which the image is built once.",
    }),
]);

function imagePath(value: string): Complaint | undefined {
  if (/\.(iso|vmdk|raw|img)$/i.test(value)) {
    return {
      why: "is not a qcow2, VHD or VHDX image, by its name",
      instead:
        "Convert it (qemu-img convert -O qcow2) and write the full path of the result; for an ISO, write `kind: iso`.",
    };
  }
  const relative = localFile(value);
  const instead = "Write the full path, e.g. /var/lib/kindows/windows-2022.qcow2.";
  return relative && { ...relative, instead };
}

const productKeyForm = /^[0-9A-Z]{5}(-[0-9A-Z]{5}){4}$/;

function productKey(value: string): Complaint | undefined {
  if (productKeyForm.test(value)) return undefined;
  return productKeyForm.test(value.toUpperCase())
    ? { why: "has lower-case letters", instead: "Write all its letters in upper case." }
    : {
        why: "is not a product key",
        instead: "Write five groups of five upper-case letters and digits, separated by dashes.",
      };
}

type Image = z.output<typeof image>;

/** Settings of an image that is built from installation media. */
export type IsoImage = Extract<Image, { kind: "iso" | "evaluation-iso" }>;

export function isMadeFromIso(image: Image): image is IsoImage {
  return image.kind === "iso" || image.kind === "evaluation-iso";
}

interface ImageSection {
  readonly windows: { readonly image: Image; readonly version: string };
}

/**
 * The firmware of an image that is built from installation media; undefined for others. rgl/windows-vagrant builds 2025
 * only with UEFI since August 2026 (3cc65d7).
 */
export function firmwareOf({
  image,
  version,
}: {
  readonly image: Image;
  readonly version: string;
}): "bios" | "uefi" | undefined {
  if (!isMadeFromIso(image)) return undefined;
  return image.firmware ?? (version === "2025" ? "uefi" : "bios");
}

const at = (...keys: readonly string[]): string[] => ["windows", "image", ...keys];

export const imageChecks: readonly Check<ImageSection>[] = [
  check(["url", "sha256"], (image) =>
    image.kind === "evaluation-iso" ? namedFileProblems(image, at(), "url") : [],
  ),
  check(["url", "language"], (image) => (image.kind === "evaluation-iso" ? foreign(image) : [])),
  fileSource("drivers"),
  fileSource("openSsh"),
  fileSource("update"),
  check(
    ["update", "update.kb", "update.path", "update.url"],
    (image, version) => updateByNumber(image.update, version),
    ["windows.version"],
  ),
];

/**
 * A check of images that are built from installation media.
 *
 * @param keys settings below `windows.image` that the check depends on, so that it is skipped if one is malformed.
 * @param more other settings that it depends on.
 */
function check(
  keys: readonly string[],
  check: (image: IsoImage, windowsVersion: string) => SettingsProblem[],
  more: readonly string[] = [],
): Check<ImageSection> {
  const reads = keys.map((key) => `windows.image.${key}`);
  return {
    reads: ["windows.image", "windows.image.kind", ...reads, ...more],
    run: ({ windows: { image, version } }) => (isMadeFromIso(image) ? check(image, version) : []),
  };
}

function fileSource(key: "drivers" | "openSsh" | "update"): Check<ImageSection> {
  return check([key, `${key}.path`, `${key}.url`, `${key}.sha256`], (image) =>
    namedFileProblems(image[key], at(key)),
  );
}

/** The pinned evaluation ISO is in English, so another language needs another ISO. */
function foreign(image: Extract<Image, { kind: "evaluation-iso" }>): SettingsProblem[] {
  return unless(image.language === "en-US" || image.url !== undefined, {
    path: at("language"),
    why: "is not the language of the pinned evaluation ISO, en-US",
    instead: "Write url and sha256 of an ISO in this language, or leave it out.",
  });
}

function updateByNumber({ kb, path, url }: IsoImage["update"], version: string): SettingsProblem[] {
  const problem = (why: string, instead: string): SettingsProblem[] => [
    { path: at("update", "kb"), why, instead },
  ];
  if (kb === undefined) return [];
  if (path !== undefined || url !== undefined) {
    return problem("is set together with path or url", "Write only one of them.");
  }
  return version === "2022"
    ? []
    : problem("works only for Windows Server 2022", "Write path or url, or leave it out.");
}
