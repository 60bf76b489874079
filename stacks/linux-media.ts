import type { LinuxPrograms } from "../components/linux/linux-node.ts";
import type { GoldenImage } from "../components/machine/machine-storage.ts";
import { builtSoFar } from "../toolchain/built.ts";
import { kubernetesVersion } from "../toolchain/tools/table.ts";

/** The disk Linux machines start from, and what is installed on them; both are made by `kindows prepare`. */
export interface LinuxMedia {
  readonly image: GoldenImage;
  readonly programs: LinuxPrograms;
}

/** A preview works without, on a machine that has built nothing; whether they are there is asked by the preflight. */
export function linuxMedia(): LinuxMedia {
  const { linuxImage, linuxPrograms } = builtSoFar();
  return {
    image: linuxImage ?? { path: "image-not-made-yet", hash: "not-made-yet" },
    programs: {
      path: linuxPrograms?.path,
      sha256: linuxPrograms?.sha256 ?? "not-made-yet",
      kubernetesVersion,
    },
  };
}
