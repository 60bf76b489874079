import path from "node:path";
import { bakedRehearsalImage } from "../../rehearsal/bake/artifact.ts";
import { diskName, manifestName, rehearsalImage } from "../../rehearsal/image/artifact.ts";
import { rehearsalDebian } from "../../rehearsal/image/debian.ts";
import type { BuiltArtifacts } from "../../toolchain/built.ts";
import type { DiskMaker, WindowsImage } from "./disk-maker.ts";
import { builtDisk, type StackPart } from "./stack-part.ts";

type Rehearsal = Extract<WindowsImage, { readonly kind: "rehearsal" }>;

export const rehearsalDisk: DiskMaker<Rehearsal> = {
  parts: ({ baked }) => [baked ? bakedGuest : guest],
};

const largeGiB = [
  [rehearsalDebian, 1.5],
  [rehearsalImage, 3],
  [bakedRehearsalImage, 1],
] as const;

const guest: StackPart = {
  artifact: rehearsalImage,
  note: async (folder) => ({ rehearsalImage: await builtGuest(folder) }),
  largeGiB,
};

const bakedGuest: StackPart = {
  artifact: bakedRehearsalImage,
  note: async (folder) => ({ bakedRehearsalImage: await builtGuest(folder) }),
  largeGiB,
};

async function builtGuest(folder: string): Promise<BuiltArtifacts["rehearsalImage"]> {
  return { ...(await builtDisk(folder, diskName)), manifest: path.join(folder, manifestName) };
}
