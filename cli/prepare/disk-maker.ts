import type { Settings } from "../../config/settings.ts";
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
interface Installation {
  /** Looks up files whose checksums nobody has written down. */
  lookUp(this: void, settings: Settings): Promise<void>;
  /** Whether the disk has to be made. @throws before anything is fetched, if it can't be */
  mustBeMade(this: void, settings: Settings, cache: Cache, say: Progress): Promise<boolean>;
  downloads(this: void, settings: Settings): DownloadedMedia;
  /** Makes the disk, unless it exists, once the nodes' programs are fetched. */
  make(this: void, settings: Settings): Promise<unknown>;
}
