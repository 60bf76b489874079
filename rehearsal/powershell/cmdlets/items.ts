/** Items, as Get-Item and similar cmdlets see them. Each drive (files, registry, ...) has a provider. */
import { hasWildcard, wildcard } from "../regex.ts";
import type { Shell } from "../commands.ts";
import type { Done } from "../host.ts";
import { raised } from "../types.ts";
import { Unsupported, type Raised, type Value } from "../values.ts";

export interface Item {
  /** Full path. */
  readonly path: string;
  readonly name: string;
  readonly isContainer: boolean;
  readonly isHidden: boolean;
  /** A link to another container: removing its children would remove those of the target. */
  readonly isLink: boolean;
  /** The object that cmdlets output for the item. */
  value(): Value;
}

/** The items of a drive. Methods throw `Raised` for PowerShell errors and `Unsupported` for what is not modelled. */
export interface ItemProvider {
  readonly separator: "\\" | "/";
  /** The full path, which the other functions expect. */
  resolve(path: string): string;
  find(path: string): Item | undefined;
  /** Whether the named pipe at a path has a server. Undefined if the path names no pipe. */
  device?(path: string): Promise<boolean> | undefined;
  /** Containers first, then leaves, each sorted by name. */
  children(container: Item): Item[];
  /**
   * New-Item. `force` also creates missing parent containers, and makes nothing, without an error, where a leaf has
   * the name.
   */
  make(
    path: string,
    options: { readonly type: string | undefined; readonly force: boolean },
  ): Item | undefined | Promise<Item | undefined>;
  /** Removes a leaf or an empty container. */
  remove(item: Item): Done;
  /** Copies a leaf, overwriting an existing one. */
  copy(item: Item, to: string): Done;
  /** The content of a leaf. */
  read(item: Item): Buffer;
}

/** Finds a drive's provider by the drive's name in lower case; "" means the file system. */
export type DriveProviders = (drive: string, shell: Shell) => ItemProvider | undefined;

/** The drive in a path, e.g. `HKLM`. "" for files, also if they have a drive letter. */
export function driveOf(path: string): string {
  if (/^[^\\/]*::/.test(path)) throw new Unsupported(`the path ${path}: it names its provider`);
  return /^([^\\/:*?[\]]{2,}):/.exec(path)?.[1] ?? "";
}

/**
 * The items that match a full path, which may have wildcards.
 *
 * @throws ItemNotFoundException if the folder before the first wildcard does not exist.
 */
export function expand(provider: ItemProvider, path: string): Item[] {
  if (path.includes("`")) throw new Unsupported(`a backtick in the path ${path}`);
  if (!hasWildcard(path)) return [provider.find(path) ?? []].flat();
  const { parent, leaf } = split(provider, path);
  const folder = parent === "" ? provider.separator : parent;
  if (!hasWildcard(folder) && !provider.find(folder)) throw itemNotFound(folder);
  return expand(provider, folder)
    .flatMap((item) => (item.isContainer ? provider.children(item) : []))
    .filter(({ name }) => wildcard(leaf).test(name))
    .flatMap((item) => provider.find(item.path) ?? []);
}

export function joined({ separator }: ItemProvider, path: string, below: string): string {
  // On Linux PowerShell changes some of them.
  if (separator === "/" && [path, below].some((each) => /\\|:|\/\//.test(each))) {
    throw new Unsupported(`${below} below ${path}`);
  }
  const whole =
    path === "" ? below : `${path.replace(/[\\/]$/, "")}/${below.replace(/^[\\/]/, "")}`;
  return whole.replace(/[\\/]/g, separator);
}

/** Splits a path into its last part and the part before it. */
export function split({ separator }: ItemProvider, path: string): { parent: string; leaf: string } {
  const names = path.replace(/[\\/]$/, "").split(/[\\/]/);
  const leaf = names.pop() ?? "";
  const parent = names.join(separator);
  // A drive's root keeps its separator: `C:\`.
  return { parent: /^\w+:$/.test(parent) ? parent + separator : parent, leaf };
}

export function itemNotFound(path: string): Raised {
  const message = `Cannot find path '${path}' because it does not exist.`;
  const type = "System.Management.Automation.ItemNotFoundException";
  return raised(type, message, { id: "PathNotFound" });
}
