import * as z from "zod";
import { locatedLinuxImage } from "../components/linux/cloud-image/located.ts";
import type { LinuxPrograms } from "../components/linux/steps.ts";
import type { GoldenImage } from "../components/machine/libvirt/machine-storage.ts";
import type { Settings } from "../config/settings.ts";
import { builtSoFar } from "../toolchain/built.ts";
import { kubernetesVersion } from "../toolchain/tools/table.ts";
import type { LabImages } from "./lab-images.ts";
import { goldenImageSchema, notMadeYet } from "./machine-image.ts";

// Built by `kindows prepare`. A preview works without them, on a machine that has built nothing; the preflight checks that
// they exist.

/** The disk that Linux machines start from. */
export function linuxImage({ linux }: Pick<Settings, "linux">, images: LabImages): GoldenImage {
  return images.of("linux", linux.image, goldenImageSchema, () => {
    const image = locatedLinuxImage(linux.image);
    return typeof image === "object" ? image : notMadeYet;
  });
}

/** The programs that are installed on them. */
export function linuxPrograms(images: LabImages): LinuxPrograms {
  const sha256 = images.of(
    "linuxPrograms",
    kubernetesVersion,
    z.string(),
    () => builtSoFar().linuxPrograms?.sha256 ?? notMadeYet.hash,
  );
  return { path: builtSoFar().linuxPrograms?.path, sha256, kubernetesVersion };
}
