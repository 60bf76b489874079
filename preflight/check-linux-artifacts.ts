import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";
import { disksTooSmall } from "./check-image.ts";
import type { LinuxArtifactFacts } from "./gather-linux-artifacts.ts";

/** What Linux machines start from and get is there, where there are any, and their own disks have room for it. */
export function checkLinuxArtifacts(
  { linuxNodes, linux }: Pick<Settings, "linuxNodes" | "linux">,
  { linuxArtifacts }: Pick<HostFacts, "linuxArtifacts">,
): HostProblem[] {
  if (linuxArtifacts === undefined) return [];
  const { image, programs } = linuxArtifacts;
  const prepare = { why: "are not made yet", instead: "Run `./kindows prepare`." };
  return [
    ...(typeof image === "object" && "virtualGiB" in image
      ? disksTooSmall(linuxNodes, image.virtualGiB, "kindows:linux.diskGiB")
      : [{ subject: subjectOf(linux.image), ...imageProblem(image, linux.image.sha256) }]),
    ...(programs === "there" ? [] : [{ subject: "The programs of Linux machines", ...prepare }]),
  ];
}

function subjectOf({ path, url }: Settings["linux"]["image"]): string {
  if (path !== undefined) return `kindows:linux.image.path: "${path}"`;
  return url === undefined ? "The disk of Linux machines" : `kindows:linux.image.url: "${url}"`;
}

function imageProblem(
  image: Exclude<LinuxArtifactFacts["image"], { readonly virtualGiB: number }>,
  wanted: string | undefined,
): Omit<HostProblem, "subject"> {
  if (typeof image === "object") {
    return {
      why: `has SHA-256 ${image.wrongSha256}, not ${wanted ?? ""} as in the settings`,
      instead: "Compare with what its publisher says, and download it again.",
    };
  }
  const another = "Write the path of a cloud image you may read.";
  return {
    missing: { why: "does not exist", instead: another },
    unreadable: { why: "can't be read", instead: another },
    "no disk": {
      why: "is neither a qcow2, VHD or VHDX image nor a disk with a partition table",
      instead: "Write the path of a cloud image: Debian's end in .qcow2, Ubuntu's in .img.",
    },
    "not prepared": { why: "is not prepared yet", instead: "Run `./kindows prepare`." },
  }[image];
}
