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

/** The disk that machines start from, and the programs that are installed on them. */
export interface MachineImage {
  readonly disk: {
    /** Absolute path on this host. */
    readonly path: string;
    /** First 12 digits of the hash of its content. */
    readonly hash: string;
  };
  readonly software: WindowsSoftware;
  /** Requirements of machines that start from it. */
  readonly requirements: HostRequirements;
}

/** The rehearsal guest is no Windows and needs little. */
const rehearsalRequirements: HostRequirements = {
  ...defaultRequirements,
  minimumFreeDiskGiB: 1,
  minimumMemoryMiB: 1024,
};

/** Placeholder for a missing image, so that a preview shows every resource. */
const notMadeYet: MachineImage["disk"] = { path: "image-not-made-yet", hash: "not-made-yet" };

/**
 * The image in the settings.
 * A preview works without it, on a machine that has built nothing; the preflight checks that it exists.
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
    // The rehearsal has no pod network, so no programs of Flannel.
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

/** The image will contain the programs, except crictl; their checksums are known once it is built. Nothing is pushed. */
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

/** A user's own disk. A VHD or VHDX is converted first, a qcow2 is used where it is. */
function diskAt(path: string): MachineImage["disk"] {
  const hash = diskIdentity(path);
  if (hash === undefined) {
    return { ...notMadeYet, path };
  }
  return mustBeConverted(path) ? (convertedFrom(path) ?? { ...notMadeYet, path }) : { path, hash };
}
