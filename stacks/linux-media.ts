import { locatedLinuxImage } from "../components/linux/cloud-image/located.ts";
import type { LinuxPrograms } from "../components/linux/linux-node.ts";
import type { GoldenImage } from "../components/machine/machine-storage.ts";
import type { Settings } from "../config/settings.ts";
import { builtSoFar } from "../toolchain/built.ts";
import { kubernetesVersion } from "../toolchain/tools/table.ts";

/** The disk Linux machines start from, and what is installed on them; `kindows prepare` sees to both. */
export interface LinuxMedia {
  readonly image: GoldenImage;
  readonly programs: LinuxPrograms;
}

/** A preview works without, on a machine that has built nothing; whether they are there is asked by the preflight. */
export function linuxMedia({ linux }: Pick<Settings, "linux">): LinuxMedia {
  const image = locatedLinuxImage(linux.image);
  const { linuxPrograms } = builtSoFar();
  return {
    image: typeof image === "object" ? image : { path: "image-not-made-yet", hash: "not-made-yet" },
    programs: {
      path: linuxPrograms?.path,
      sha256: linuxPrograms?.sha256 ?? "not-made-yet",
      kubernetesVersion,
    },
  };
}
