import * as z from "zod";
import { namedFile } from "./named-file.ts";
import { machineSize } from "./windows-settings.ts";

/** What a Linux machine needs at least: 4 GiB are its image, and programs and container images come on top. */
export const leastLinuxDiskGiB = 8;

const { cpus, memoryMiB, diskGiB } = machineSize;

/** What Linux machines have in common. */
export const linux = z.strictObject({
  image: namedFile("a cloud image (qcow2, raw, VHD or VHDX)", "`./kindows prepare`").meta({
    description:
      "Disk that the machines start from: a cloud image of Debian or Ubuntu, with cloud-init. Default: Debian 12, made here from its packages.",
  }),
  cpus: cpus.default(2).meta({ description: "Virtual processors.", unit: "processors" }),
  memoryMiB: memoryMiB.default(2048).meta({ description: "Memory.", unit: "MiB" }),
  diskGiB: diskGiB.default(20).meta({
    description: `Disk, ${leastLinuxDiskGiB} at least. Takes up only what is written.`,
    unit: "GiB",
  }),
});
