import * as z from "zod";
import { namedFile, namedFileProblems } from "../named-file.ts";
import { type Check, type SettingsProblem, unless } from "../problem.ts";
import { machineSize } from "../values/machine-size.ts";

/** Smallest disk of a Linux machine: its image takes 4 GiB, and programs and container images come on top. */
export const leastLinuxDiskGiB = 8;

const { cpus, memoryMiB, diskGiB } = machineSize;

export const linux = z.strictObject({
  image: namedFile("a cloud image (qcow2, raw, VHD or VHDX)", "`./kindows prepare`").meta({
    description:
      "Disk image that the machines start from: a cloud image of Debian or Ubuntu with cloud-init. Default: Debian 12, built on this host from its packages.",
  }),
  cpus: cpus.default(2).meta({ description: "Virtual processors.", unit: "processors" }),
  memoryMiB: memoryMiB.default(2048).meta({ description: "Memory of a machine.", unit: "MiB" }),
  diskGiB: diskGiB.default(20).meta({
    description: `Size of the disk; at least ${leastLinuxDiskGiB}. On the host, it takes up only the space that is written.`,
    unit: "GiB",
  }),
});

interface LinuxSection {
  readonly linux: z.output<typeof linux>;
}

/** The image must be a single file that is a disk. */
export const linuxImage: Check<LinuxSection> = {
  reads: ["linux.image", "linux.image.path", "linux.image.url", "linux.image.sha256"],
  run: ({ linux: { image } }) => [
    ...namedFileProblems(image, ["linux", "image"]),
    ...installerProblem(image.path ?? image.url, image.path === undefined ? "url" : "path"),
  ],
};

/** Refuses files that are published next to cloud images but, by their names, are not disks for machines. */
function installerProblem(file: string | undefined, key: "path" | "url"): SettingsProblem[] {
  const found = /\.(iso|xz|gz|zip|tar|ova|vmdk)$/i.exec(file ?? "")?.[1]?.toLowerCase() ?? "";
  return unless(found === "", {
    path: ["linux", "image", key],
    why: `is ${found === "iso" ? "an installer" : "not a disk that machines can use"}, by its name`,
    instead: ["iso", "vmdk", "ova"].includes(found)
      ? "Write a cloud image: Debian's end in .qcow2, Ubuntu's in .img."
      : "Unpack it and write the path of the disk in it.",
  });
}
