import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { Settings } from "../config/settings.ts";
import { defaultRequirements } from "../components/windows/host-requirements.ts";
import type { HostRequirements } from "../components/windows/host-requirements.ts";
import { parseImageManifest } from "../components/windows/image-manifest.ts";
import { knownPrograms } from "../components/windows/known-programs.ts";
import { imageSoftware, mediumNames, officialSoftware } from "../components/windows/software.ts";
import type {
  MediumName,
  WindowsSoftware,
  WindowsVersions,
} from "../components/windows/software.ts";
import { builtArtifacts } from "../toolchain/built.ts";
import type { BuiltArtifacts } from "../toolchain/built.ts";

/** The disk machines start from, and what is installed on them. */
export interface MachineImage {
  readonly disk: {
    /** Absolute path on this host. */
    readonly path: string;
    /** First 12 digits of what identifies its content. */
    readonly hash: string;
  };
  readonly software: WindowsSoftware;
  /** What a machine started from it must have. */
  readonly requirements: HostRequirements;
}

/** The rehearsal guest is no Windows: it is as small as it can be. */
const rehearsalRequirements: HostRequirements = {
  ...defaultRequirements,
  minimumFreeDiskGiB: 1,
  minimumMemoryMiB: 1024,
};

/** Stands for an image that is not there yet: enough for a preview to show every resource. */
const notMadeYet: MachineImage["disk"] = { path: "image-not-made-yet", hash: "not-made-yet" };

/**
 * The image the settings ask for.
 *
 * A preview works without it, on a machine that has built nothing; whether it is there is asked by the preflight.
 */
export function machineImage(settings: Settings): MachineImage {
  const versions: WindowsVersions = {
    kubernetes: settings.cluster.kubernetesVersion,
    containerd: settings.windows.containerdVersion,
  };
  const { image } = settings.windows;
  switch (image.kind) {
    case "rehearsal":
      return rehearsalImage(settings, versions);
    case "disk":
      return windowsImage(diskAt(image.path), settings, versions);
    case "evaluation-iso":
      return windowsImage(notMadeYet, settings, versions);
  }
}

function windowsImage(
  disk: MachineImage["disk"],
  settings: Settings,
  versions: WindowsVersions,
): MachineImage {
  const software = officialSoftware(versions, knownPrograms(settings.windows.checksums));
  return { disk, software, requirements: defaultRequirements };
}

function rehearsalImage(settings: Settings, versions: WindowsVersions): MachineImage {
  const built = rehearsalImageIfBuilt();
  if (built === undefined) {
    const software = notCarriedYet(
      officialSoftware(versions, knownPrograms(settings.windows.checksums)),
    );
    return { disk: notMadeYet, software, requirements: rehearsalRequirements };
  }
  const manifest = parseImageManifest(readFileSync(built.manifest, "utf8"));
  return {
    disk: { path: built.path, hash: built.hash },
    software: imageSoftware(versions, manifest),
    requirements: rehearsalRequirements,
  };
}

/** The image will carry its programs, so nothing is pushed; their checksums are known when it is made. */
function notCarriedYet(software: WindowsSoftware): WindowsSoftware {
  const carried = mediumNames.map((name) => [
    name,
    { ...software[name], sha256: undefined, origin: "image" },
  ]);
  return { ...software, ...(Object.fromEntries(carried) as Pick<WindowsSoftware, MediumName>) };
}

function rehearsalImageIfBuilt(): BuiltArtifacts["rehearsalImage"] {
  try {
    return builtArtifacts().rehearsalImage;
  } catch {
    return undefined;
  }
}

/** A user's own disk is told apart by place, size and time of change: hashing tens of gigabytes at each preview is too slow. */
function diskAt(path: string): MachineImage["disk"] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    return { ...notMadeYet, path };
  }
  const identity = [path, found.size, found.mtimeMs].join("\n");
  return { path, hash: createHash("sha256").update(identity).digest("hex").slice(0, 12) };
}
