import * as z from "zod";
import {
  pathText,
  type Check,
  type Complaint,
  type SettingsProblem,
  unless,
} from "../../../config/problem.ts";
import { hostName, unnamed } from "../../../config/values/dns-name.ts";
import { between, ofForm, text } from "../../../config/values/value.ts";
import { remoteHost } from "../../../config/sections/machine-host.ts";
import { firmwareOf } from "../../../config/sections/windows-image.ts";
import { adminUser } from "../../../config/values/windows-account.ts";
import { imageSource } from "../../../config/image-sources.ts";

const virtualSwitch = ofForm(
  /^[\w(][\w .()-]{0,63}(?<! )$/,
  "has characters that a command line to the host cannot contain, or is too long",
  "Give the switch a name of at most 64 letters, digits, spaces, _ . ( ) and - (Rename-VMSwitch), and write that.",
);

const host = remoteHost.extend({
  name: remoteHost.shape.name.meta({ placeholder: (index: number) => `unnamed-h${index}` }),
  address: text(hostName).meta({
    description: "IPv4 address or DNS name of the Windows host.",
    placeholder: unnamed,
  }),
  port: between(1, 65535).default(22).meta({ description: "Its SSH port." }),
  user: text(adminUser).default("Administrator").meta({
    description: "Account on it, which must be an administrator.",
  }),
  switch: text(virtualSwitch).meta({
    description:
      "External virtual switch on it that is on the same segment as `network.bridge` of this host; made and connected by you (docs/hyper-v.md).",
    placeholder: () => "unnamed",
  }),
  folder: text(windowsFolder).meta({
    description: "Folder on it for the lab's machines, e.g. `D:\\kindows`; made if missing.",
    placeholder: () => "C:\\unnamed",
  }),
  image: text(windowsVhdx).meta({
    description:
      "VHDX on it that machines start from: the same image as `windows.image`, copied by you (docs/hyper-v.md). Changing the path replaces the machines.",
    placeholder: () => "C:\\unnamed.vhdx",
  }),
  generation: z.literal([1, 2]).optional().meta({
    description: "Generation of the machines: 1 starts with BIOS, 2 with UEFI.",
    default: "2 if the image has UEFI (`windows.image.firmware`), else 1",
  }),
  secureBoot: z.boolean().optional().meta({
    description: "Whether machines of generation 2 start with Secure Boot.",
    default: "`true` for generation 2",
  }),
});

export const hyperVHosts = z.array(host).default([]).meta({
  description: "Windows hosts with Hyper-V, for machines of this lab (docs/hyper-v.md).",
});

export type HyperVHostSettings = z.output<typeof host>;

const instead = "Write an absolute path with a drive, e.g. D:\\kindows.";

/** Checks for an absolute path on a Windows host that needs no escaping on a command line. */
function windowsPath(value: string): Complaint | undefined {
  if (!/^[A-Za-z]:\\/.test(value)) {
    return { why: "is not an absolute Windows path with a drive", instead };
  }
  if (!/^[A-Za-z]:\\[\w .()\\-]*$/.test(value) || /\\\\|[ .](\\|$)/.test(value)) {
    return {
      why: "has a part with other characters than letters, digits, spaces, _ . ( ) and -, or with a space or dot at its end",
      instead: "Write a path without such parts, with single backslashes between them.",
    };
  }
  return undefined;
}

function windowsFolder(value: string): Complaint | undefined {
  const why = "ends with a backslash, or is a drive as a whole";
  return windowsPath(value) ?? (value.endsWith("\\") ? { why, instead } : undefined);
}

function windowsVhdx(value: string): Complaint | undefined {
  const wrong = {
    why: "does not end with .vhdx",
    instead:
      "Convert it (Convert-VHD there, or qemu-img convert -O vhdx here) and write the path of the VHDX.",
  };
  return windowsPath(value) ?? (/\.vhdx$/i.test(value) ? undefined : wrong);
}

type Start = Pick<HyperVHostSettings, "generation" | "secureBoot">;
type Windows = Parameters<typeof firmwareOf>[0];

export interface HyperVSection {
  readonly hyperVHosts: readonly HyperVHostSettings[];
}

type CheckedHosts = HyperVSection & { readonly windows: Windows };

/** Generation that an image needs; undefined for a user's disk, which may need either. */
function generationOf(windows: Windows): 1 | 2 | undefined {
  const firmware = firmwareOf(windows);
  return firmware && (firmware === "uefi" ? 2 : 1);
}

export function startOf(
  { generation: written, secureBoot }: Start,
  windows: Windows,
): { readonly generation: 1 | 2; readonly secureBoot: boolean } {
  const generation = written ?? generationOf(windows) ?? 1;
  return { generation, secureBoot: generation === 2 && secureBoot !== false };
}

const hyperVWithWindows: Check<CheckedHosts> = {
  reads: ["hyperVHosts", "windows.image.kind"],
  run: ({ hyperVHosts, windows }) =>
    unless(hyperVHosts.length === 0 || !imageSource({ windows }).onlyQemu, {
      path: ["hyperVHosts"],
      value: hyperVHosts.map(({ name }) => name).join(", "),
      why: "would have to run the rehearsal guest, which starts with QEMU only",
      instead: "Leave them out, or write a windows.image with Windows.",
    }),
};

const hyperVGeneration: Check<CheckedHosts> = {
  reads: ["hyperVHosts", "windows.version", "windows.image.kind", "windows.image.firmware"],
  run: ({ hyperVHosts, windows }) =>
    hyperVHosts.flatMap((host, index): SettingsProblem[] => {
      const wanted = generationOf(windows);
      const { generation } = startOf(host, windows);
      const path = ["hyperVHosts", index];
      if (wanted !== undefined && generation !== wanted) {
        return [
          {
            path: [...path, "generation"],
            value: generation,
            why: `does not start an image that was installed with ${wanted === 2 ? "UEFI" : "BIOS"}, as ${pathText(["windows", "image", "firmware"])} says`,
            instead: `Write ${wanted}, or leave it out.`,
          },
        ];
      }
      return unless(host.secureBoot !== true || generation === 2, {
        path: [...path, "secureBoot"],
        why: "is for machines of generation 2, and these are of generation 1",
        instead: "Leave it out, or write generation: 2 for an image that was installed with UEFI.",
      });
    }),
};

export const hyperVChecks: readonly Check<CheckedHosts>[] = [hyperVWithWindows, hyperVGeneration];
