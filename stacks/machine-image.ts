import { readFileSync } from "node:fs";
import type { Settings } from "../config/settings.ts";
import { builtImage } from "../components/windows/image/builder/built-image.ts";
import { defaultRequirements } from "../components/windows/host-requirements.ts";
import type { HostRequirements } from "../components/windows/host-requirements.ts";
import { parseImageManifest } from "../components/windows/image-manifest.ts";
import { imageSoftware } from "../components/windows/software.ts";
import { stackSoftware } from "../components/windows/stack-software.ts";
import type {
  ProgramArtifact,
  WindowsSoftware,
  WindowsVersions,
} from "../components/windows/software.ts";
import { builtRehearsalImage, convertedFrom } from "../toolchain/built.ts";
import { mustBeConverted } from "../toolchain/disk-format.ts";
import { diskIdentity } from "../toolchain/disk-identity.ts";

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
      return rehearsalImage(settings, versions, builtRehearsalImage(image));
    case "disk":
      return windowsImage(diskAt(image.path), settings);
    case "evaluation-iso":
    case "iso":
      return windowsImage(builtImage(settings) ?? notMadeYet, settings);
  }
}

function windowsImage(disk: MachineImage["disk"], settings: Settings): MachineImage {
  const software = stackSoftware(settings);
  return { disk, software, requirements: defaultRequirements };
}

function rehearsalImage(
  settings: Settings,
  versions: WindowsVersions,
  built: ReturnType<typeof builtRehearsalImage>,
): MachineImage {
  if (built === undefined) {
    // No network for pods is rehearsed: without Flannel's programs.
    const { windows, cluster } = settings;
    const software = notCarriedYet(stackSoftware({ windows, cluster }));
    return { disk: notMadeYet, software, requirements: rehearsalRequirements };
  }
  const manifest = parseImageManifest(readFileSync(built.manifest, "utf8"));
  return {
    disk: { path: built.path, hash: built.hash },
    software: imageSoftware(versions, manifest),
    requirements: rehearsalRequirements,
  };
}

/** The image will carry its programs, but no crictl; their checksums are known when it is made. Nothing is pushed. */
function notCarriedYet(software: WindowsSoftware): WindowsSoftware {
  const carried = (artifact: ProgramArtifact): ProgramArtifact => ({
    ...artifact,
    sha256: undefined,
    origin: "image",
  });
  return {
    ...software,
    containerd: carried(software.containerd),
    kubelet: carried(software.kubelet),
    kubeadm: carried(software.kubeadm),
    kubeLogRunner: carried(software.kubeLogRunner),
    crictl: undefined,
  };
}

/** A user's own disk. A VHD or VHDX is used as it was converted, a qcow2 in its place. */
function diskAt(path: string): MachineImage["disk"] {
  const hash = diskIdentity(path);
  if (hash === undefined) {
    return { ...notMadeYet, path };
  }
  return mustBeConverted(path) ? (convertedFrom(path) ?? { ...notMadeYet, path }) : { path, hash };
}
