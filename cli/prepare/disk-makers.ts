import type { ImageSourceName } from "../../config/image-sources.ts";
import type { Settings } from "../../config/settings.ts";
import type { StackNeeds } from "../../stacks/stack-needs.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import type { Cache } from "../../toolchain/cache.ts";
import type { DownloadedMedia } from "../fetch/image-media.ts";
import type { StackPart } from "./stack-part.ts";

export type WindowsImage = Settings["windows"]["image"];

/** How the disk that Windows machines start from comes to this host. */
export interface DiskMaker<Image extends WindowsImage = WindowsImage> {
  /** What is built or converted together with the tools. */
  parts?(this: void, image: Image, say: Progress): readonly StackPart[];
  /** What a preview calls missing. Default: the parts that are not in the cache. */
  unmade?(this: void, settings: Settings): readonly string[];
  /** How it is installed from media, if it is. */
  readonly installation?: Installation;
}

/** The stages of installing a disk from media, in their order. */
export interface Installation {
  /** Looks up files whose checksums nobody has written down. */
  lookUp(this: void, settings: Settings): Promise<void>;
  /** Whether the disk has to be made. @throws before anything is fetched, if it can't be */
  mustBeMade(this: void, settings: Settings, cache: Cache, say: Progress): Promise<boolean>;
  downloads(this: void, settings: Settings): DownloadedMedia;
  /** Makes the disk, unless it exists, once the nodes' programs are fetched. */
  make(this: void, settings: Settings): Promise<unknown>;
}

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
  return windowsImage === undefined
    ? Promise.resolve(undefined)
    : diskMakers[windowsImage.kind]();
}
