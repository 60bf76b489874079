import type * as z from "zod";
import { readFileSync } from "node:fs";
import { firmwareOf, isMadeFromIso } from "../config/sections/windows-image.ts";
import { imageSource } from "../config/image-sources.ts";
import { type NeedingSettings, stackNeeds } from "./stack-needs.ts";
import { builtImage, imageKey } from "../images/windows/builder/built-image.ts";
import {
  defaultRequirements,
  type HostRequirements,
} from "../components/windows/host-requirements.ts";
import { uefiFirmware } from "../images/windows/builder/uefi-firmware.ts";
import { imageManifestSchema, parseImageManifest } from "../components/windows/image-manifest.ts";
import type { GoldenImage } from "../components/machine/libvirt/machine-storage.ts";
import {
  imageSoftware,
  programArtifacts,
  withOwnPrograms,
  type WindowsSoftware,
} from "../components/windows/software.ts";
import { convertedFrom } from "../toolchain/built.ts";
import { mustBeConverted, diskIdentity } from "../toolchain/disk-format.ts";
import type { NodePrograms } from "./joined-node.ts";
import { goldenImageSchema, notBuilt } from "./golden-image.ts";
import type { LabImages } from "./lab-images.ts";
import { podNetworks } from "../components/cni/pod-networks.ts";
import { ownSoftware, stackSoftware } from "../components/windows/stack-software.ts";

interface MachineImage extends NodePrograms {
  readonly disk: GoldenImage;
}

/** The rehearsal guest is not Windows and needs little. */
const rehearsalRequirements: HostRequirements = {
  ...defaultRequirements,
  minimumFreeDiskGiB: 1,
  minimumMemoryMiB: 1024,
};

type ImageSettings = NeedingSettings &
  Parameters<typeof ownSoftware>[0] &
  Parameters<typeof imageKey>[0];

/** An image, with its manifest if it is the rehearsal's. */
const foundSchema = goldenImageSchema.extend({ manifest: imageManifestSchema.optional() });

/**
 * The image in the settings; undefined without Windows nodes. A preview works without it, on a host that has built nothing. Before an `up`, the
 * preflight checks that it exists.
 */
export function machineImage(settings: ImageSettings, images: LabImages): MachineImage | undefined {
  if (stackNeeds(settings).windowsImage === undefined) return undefined;
  const { windows, cluster, cni } = settings;
  const { image, containerdVersion } = windows;
  const asked = isMadeFromIso(image) ? imageKey(settings) : image;
  const { manifest, ...disk } = images.of("windows", asked, foundSchema, () => found(settings));
  if (!imageSource(settings).carriesPrograms) {
    return { disk, software: ownSoftware(settings), requirements: defaultRequirements };
  }
  const versions = { kubernetes: cluster.kubernetesVersion, containerd: containerdVersion };
  const software =
    manifest === undefined
      ? notCarriedYet(stackSoftware({ windows, cluster, cni }))
      : imageSoftware(versions, manifest, podNetworks[cni.kind].programs);
  return {
    disk,
    software: withOwnPrograms(software, windows.ownFiles),
    requirements: rehearsalRequirements,
  };
}

function found(settings: ImageSettings): z.infer<typeof foundSchema> {
  const { image } = settings.windows;
  if (image.kind === "disk") return diskAt(image.path);
  const { manifest, ...disk } = builtImage(settings) ?? { ...notBuilt, manifest: undefined };
  return {
    ...disk,
    ...(manifest !== undefined && { manifest: parseImageManifest(readFileSync(manifest, "utf8")) }),
    // A machine boots with the firmware that its image was installed with. A user's own disk boots with BIOS.
    ...(firmwareOf(settings.windows) === "uefi" && { uefi: uefiFirmware() }),
  };
}

/**
 * The software of an image that is not built yet. It will contain all programs except crictl; their checksums are
 * unknown.
 */
function notCarriedYet(software: WindowsSoftware): WindowsSoftware {
  const carried = programArtifacts(software).map(([name, artifact]) => [
    name,
    { ...artifact, sha256: undefined, origin: "image" },
  ]);
  return { ...software, ...(Object.fromEntries(carried) as object), crictl: undefined };
}

/** A user's own disk. A qcow2 is used in place; a VHD or VHDX has to be converted. */
function diskAt(path: string): GoldenImage {
  const hash = diskIdentity(path);
  if (hash === undefined) return { ...notBuilt, path };
  return mustBeConverted(path) ? (convertedFrom(path) ?? { ...notBuilt, path }) : { path, hash };
}
