import { convertedDisk, convertedDiskNote } from "../../images/disk/converted-disk.ts";
import { windowsDisk } from "../../images/windows/windows-images.ts";
import { convertedFrom } from "../../toolchain/built.ts";
import { Cache } from "../../toolchain/cache.ts";
import { mustBeConverted } from "../../toolchain/disk-format.ts";
import type { DiskMaker, WindowsImage } from "./disk-maker.ts";
import type { StackPart } from "./stack-part.ts";

type OwnDisk = Extract<WindowsImage, { readonly kind: "disk" }>;

export const ownDisk: DiskMaker<OwnDisk> = {
  parts({ path: source }, say) {
    // An invalid file is reported by the preflight.
    if (!mustBeConverted(source)) return [];
    if (convertedFrom(source) === undefined) say(`reading all of ${source} for its checksum`);
    const cache = new Cache();
    const note: StackPart["note"] = async (folder) => ({
      convertedDisks: await convertedDiskNote(source, folder, cache),
    });
    return [{ artifact: convertedDisk(source, windowsDisk, cache), note }];
  },
  // Reading all of the disk for its checksum would take too long.
  unmade: ({ windows: { image } }) =>
    image.kind === "disk" && mustBeConverted(image.path) && convertedFrom(image.path) === undefined
      ? [`a qcow2 copy of ${image.path}`]
      : [],
};
