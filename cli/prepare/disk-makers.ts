import type { ImageSourceName } from "../../config/image-sources.ts";
import type { StackNeeds } from "../../stacks/stack-needs.ts";
import type { DiskMaker } from "./disk-maker.ts";

const fromIso = async (): Promise<DiskMaker> => (await import("./disk-from-iso.ts")).diskFromIso;

/** The makers, by the kind of the source. Each loads what it builds with only if a stack needs it. */
const diskMakers: Readonly<Record<ImageSourceName, () => Promise<DiskMaker>>> = {
  rehearsal: async () => (await import("./rehearsal-disk.ts")).rehearsalDisk,
  disk: async () => (await import("./own-disk.ts")).ownDisk,
  "evaluation-iso": fromIso,
  iso: fromIso,
};

/** The maker of the disk that a stack needs; undefined if it makes no Windows machine. */
export function diskMaker({
  windowsImage,
}: Pick<StackNeeds, "windowsImage">): Promise<DiskMaker | undefined> {
  return windowsImage === undefined ? Promise.resolve(undefined) : diskMakers[windowsImage.kind]();
}
