import * as z from "zod";
import { machineSize } from "./windows-settings.ts";

/** What a Linux machine needs at least: 4 GiB are its image, and programs and container images come on top. */
export const leastLinuxDiskGiB = 8;

const { cpus, memoryMiB, diskGiB } = machineSize;

/** What Linux machines have in common. */
export const linux = z.strictObject({
  cpus: cpus.default(2).meta({ description: "Virtual processors.", unit: "processors" }),
  memoryMiB: memoryMiB.default(2048).meta({ description: "Memory.", unit: "MiB" }),
  diskGiB: diskGiB.default(20).meta({
    description: `Disk, ${leastLinuxDiskGiB} at least. Takes up only what is written.`,
    unit: "GiB",
  }),
});
