/** Items: what cmdlets such as Get-Item work on. Each drive has a provider; files are one of them. */
import type { Shell } from "../commands.ts";
import { raised } from "../types.ts";
import { Unsupported, type Raised, type Value } from "../values.ts";
import { hasWildcard, wildcard } from "../wildcard.ts";

export interface Item {
  /** Full. */
  readonly path: string;
  readonly name: string;
  readonly isContainer: boolean;
  readonly isHidden: boolean;
  /** Removing what is in it would remove something that lies elsewhere. */
  readonly isLink: boolean;
  /** Removed only with -Force. */
  readonly isReadOnly: boolean;
  /** What cmdlets hand on. */
  value(): Value;
}

/** Has the items of a drive. What it refuses is thrown as `Raised`; what is left out, as `Unsupported`. */
export interface ItemProvider {
  readonly separator: "\\" | "/";
  /** Full path, as the other functions take it. */
  resolve(path: string): string;
  find(path: string): Item | undefined;
  /** Containers first, each kind by name. */
  children(container: Item): Item[];
  /** New-Item, with the missing containers above it if `force`. */
  make(path: string, options: { readonly type: string | undefined; readonly force: boolean }): Item;
  /** A leaf or an empty container. */
  remove(item: Item, options: { readonly force: boolean }): void;
  /** A leaf, over one that is there. */
  copy(item: Item, to: string): void;
  move(item: Item, to: string): void;
  /** A leaf's content. */
  read(item: Item): Buffer;
}

/** Finds who has a drive, by its name in lower case; undefined: the interpreter's own ones have it. */
export type DriveProviders = (drive: string, shell: Shell) => ItemProvider | undefined;

/** A drive's name of more than a letter, or none: files. */
export function driveOf(path: string): string | undefined {
  if (/^[^\\/]*::/.test(path)) {
    throw new Unsupported(`the path ${path}: it names its provider`);
  }
  return /^([^\\/:*?[\]]{2,}):/.exec(path)?.[1];
}

/** All that a full path with wildcards leads to. */
export function expand(provider: ItemProvider, path: string): Item[] {
  const { parent, leaf } = split(provider, path);
  const containers = hasWildcard(parent)
    ? expand(provider, parent)
    : [provider.find(parent) ?? []].flat();
  const namesIn = (container: Item) =>
    hasWildcard(leaf)
      ? provider
          .children(container)
          .map(({ name }) => name)
          .filter((name) => wildcard(leaf).test(name))
      : [leaf];
  return containers
    .filter(({ isContainer }) => isContainer)
    .flatMap((container) =>
      namesIn(container).flatMap(
        (name) => provider.find(joined(provider, container.path, name)) ?? [],
      ),
    );
}

function normalized(provider: ItemProvider, path: string): string {
  return path.replace(/[\\/]/g, provider.separator);
}

/** What Join-Path returns. */
export function joined(provider: ItemProvider, path: string, below: string): string {
  const { separator } = provider;
  const parent = normalized(provider, path);
  const child = normalized(provider, below);
  if (parent === "") {
    return child;
  }
  return (
    (parent.endsWith(separator) ? parent : parent + separator) +
    (child.startsWith(separator) ? child.slice(1) : child)
  );
}

/** The path without its last part, and that part. */
export function split(provider: ItemProvider, path: string): { parent: string; leaf: string } {
  const { separator } = provider;
  const whole = normalized(provider, path);
  const trimmed = whole.endsWith(separator) ? whole.slice(0, -1) : whole;
  const at = trimmed.lastIndexOf(separator);
  const parent = trimmed.slice(0, Math.max(at, 0));
  // The separator stays where it makes a drive's root.
  return {
    parent: /^\w+:$/.test(parent) ? parent + separator : parent,
    leaf: trimmed.slice(at + 1),
  };
}

export function itemNotFound(path: string): Raised {
  const message = `Cannot find path '${path}' because it does not exist.`;
  return raised("System.Management.Automation.ItemNotFoundException", message, {
    id: "PathNotFound",
  });
}
