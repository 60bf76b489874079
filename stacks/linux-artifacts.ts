import { locatedLinuxImage } from "../components/linux/cloud-image/located.ts";
import type { LinuxPrograms } from "../components/linux/steps.ts";
import type { GoldenImage } from "../components/machine/libvirt/machine-storage.ts";
import type { Settings } from "../config/settings.ts";
import { builtSoFar } from "../toolchain/built.ts";
import { kubernetesVersion } from "../toolchain/tools/table.ts";

// Built by `kindows prepare`. A preview works without them, on a machine that has built nothing; the preflight checks that
// they exist.

/** The disk that Linux machines start from. */
export function linuxImage({ linux }: Pick<Settings, "linux">): GoldenImage {
  const image = locatedLinuxImage(linux.image);
  return typeof image === "object" ? image : { path: "image-not-made-yet", hash: "not-made-yet" };
}

/** The programs that are installed on them. */
export function linuxPrograms(): LinuxPrograms {
  const { linuxPrograms: made } = builtSoFar();
  return { path: made?.path, sha256: made?.sha256 ?? "not-made-yet", kubernetesVersion };
}
