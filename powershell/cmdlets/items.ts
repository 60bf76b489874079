/** Items: what cmdlets such as Get-Item work on. Each drive has a provider; files are one of them. */
import { hasWildcard, wildcard } from "../regex.ts";
import type { Shell } from "../commands.ts";
import type { Done } from "../host.ts";
import { raised } from "../types.ts";
import { Unsupported, type Raised, type Value } from "../values.ts";

export interface Item {
  /** Full. */
  readonly path: string;
  readonly name: string;
  readonly isContainer: boolean;
  readonly isHidden: boolean;
  /** Removing what is in it would remove something that lies elsewhere. */
  readonly isLink: boolean;
  /** What cmdlets hand on. */
  value(): Value;
}

/** Has the items of a drive. What it refuses is thrown as `Raised`; what is left out, as `Unsupported`. */
export interface ItemProvider {
  readonly separator: "\\" | "/";
  /** Full path, as the other functions take it. */
  resolve(path: string): string;
  find(path: string): Item | undefined;
  /** Whether a pipe is served. Undefined: the path leads to none. */
  device?(path: string): Promise<boolean> | undefined;
  /** Containers first, each kind by name. */
  children(container: Item): Item[];
  /** New-Item, with the missing containers above it if `force`. */
  make(
    path: string,
    options: { readonly type: string | undefined; readonly force: boolean },
  ): Item | Promise<Item>;
  /** A leaf or an empty container. */
  remove(item: Item): Done;
  /** A leaf, over one that is there. */
  copy(item: Item, to: string): Done;
  /** A leaf's content. */
  read(item: Item): Buffer;
}

/** Finds who has a drive, by its name in lower case; "": files. */
export type DriveProviders = (drive: string, shell: Shell) => ItemProvider | undefined;

/** A drive's name of more than a letter; "": files. */
export function driveOf(path: string): string {
  if (/^[^\\/]*::/.test(path)) throw new Unsupported(`the path ${path}: it names its provider`);
  return /^([^\\/:*?[\]]{2,}):/.exec(path)?.[1] ?? "";
}

/** All that a full path leads to, with wildcards or without. */
export function expand(provider: ItemProvider, path: string): Item[] {
  if (path.includes("`")) throw new Unsupported(`a backtick in the path ${path}`);
  if (!hasWildcard(path)) return [provider.find(path) ?? []].flat();
  const { parent, leaf } = split(provider, path);
  return expand(provider, parent)
    .flatMap((item) => (item.isContainer ? provider.children(item) : []))
    .filter(({ name }) => wildcard(leaf).test(name))
    .flatMap((item) => provider.find(item.path) ?? []);
}

export function joined({ separator }: ItemProvider, path: string, below: string): string {
  const whole =
    path === "" ? below : `${path.replace(/[\\/]$/, "")}/${below.replace(/^[\\/]/, "")}`;
  return whole.replace(/[\\/]/g, separator);
}

/** The path without its last part, and that part. */
export function split({ separator }: ItemProvider, path: string): { parent: string; leaf: string } {
  const names = path.replace(/[\\/]$/, "").split(/[\\/]/);
  const leaf = names.pop() ?? "";
  const parent = names.join(separator);
  // The separator stays where it makes a drive's root.
  return { parent: /^\w+:$/.test(parent) ? parent + separator : parent, leaf };
}

export function itemNotFound(path: string): Raised {
  const message = `Cannot find path '${path}' because it does not exist.`;
  const type = "System.Management.Automation.ItemNotFoundException";
  return raised(type, message, { id: "PathNotFound" });
}
