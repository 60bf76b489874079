/** Cmdlets that work on items: files, registry keys, environment variables. */
import { hasWildcard, wildcard } from "../regex.ts";
import { createHash } from "node:crypto";
import { cmdlets, type Call, type Cmdlet, type Shell } from "../commands.ts";
import { ansi, decodeText, linesOf } from "../dotnet/encoding.ts";
import * as is from "../types.ts";
import { raised } from "../types.ts";
import { CustomObject, Raised, Unsupported } from "../values.ts";
import {
  driveOf,
  expand,
  itemNotFound,
  joined,
  split,
  type DriveProviders,
  type Item,
  type ItemProvider,
} from "./items.ts";

interface GivenPath {
  readonly provider: ItemProvider;
  readonly path: string;
  readonly isPattern: boolean;
}

/** An item that a path names, or one below it. */
interface Given {
  readonly provider: ItemProvider;
  readonly item: Item;
  /** Found by wildcards. */
  readonly isPattern?: boolean;
}

/** Runs an action. An error in it is reported as the cmdlet's, with `<id>IOError` as its id unless it has one. */
async function attempt<T>(
  call: Call,
  id: string,
  action: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    await call.fail(new Raised(error.exception, { id: error.id ?? `${id}IOError` }));
    return undefined;
  }
}

function find({ provider, path, isPattern }: GivenPath): Item[] {
  const full = provider.resolve(path);
  return isPattern ? expand(provider, full) : [provider.find(full) ?? []].flat();
}

async function testPath(call: Call, given: GivenPath): Promise<void> {
  // 5.1 rejects it, 7 finds nothing.
  if (given.path === "") throw new Unsupported("Test-Path of an empty path");
  const device = given.provider.device?.(given.path);
  if (device) {
    await call.emit(await device);
    return;
  }
  const type = call.text("PathType")?.toLowerCase() ?? "any";
  if (!/^(any|container|leaf)$/.test(type)) throw new Unsupported(`-PathType ${type}`);
  let items: Item[] = [];
  try {
    items = find(given);
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
  }
  // Wildcards name a container if all that they match is one.
  const isContainer = items.every((item) => item.isContainer);
  await call.emit(items.length > 0 && (type === "any" || isContainer === (type === "container")));
}

async function joinPath(call: Call, { provider, path }: GivenPath): Promise<void> {
  await call.emit(joined(provider, path, call.text("ChildPath") ?? ""));
}

async function splitPath(call: Call, { provider, path }: GivenPath): Promise<void> {
  const { parent, leaf } = split(provider, path);
  const isName = !/^(\.{0,2}|~)$|:$/.test(leaf);
  if (call.flag("Leaf") ? !isName : /^\/+$|\/\//.test(path)) {
    throw new Unsupported(`Split-Path of ${path}`);
  }
  await call.emit(call.flag("Leaf") ? leaf : parent);
}

async function newItem(call: Call, { provider, path }: GivenPath): Promise<void> {
  const options = { type: call.text("ItemType"), force: call.flag("Force") };
  const made = await attempt(call, "NewItem", () => provider.make(provider.resolve(path), options));
  if (made) {
    await call.emit(made.value());
  }
}

async function removeItem(call: Call, { provider, item }: Given): Promise<void> {
  const children = item.isContainer ? provider.children(item) : [];
  if (children.length > 0 && (item.isLink || !call.flag("Recurse"))) {
    // PowerShell would ask for confirmation, or remove what the link points to.
    throw new Unsupported(`Remove-Item of what is in ${item.path}`);
  }
  for (const child of children) {
    await removeItem(call, { provider, item: child });
  }
  await attempt(call, "RemoveFileSystemItem", () => provider.remove(item));
}

async function copyItem(call: Call, { provider, item }: Given): Promise<void> {
  const to = provider.resolve(call.text("Destination") ?? "");
  if (item.isContainer || provider.find(to)?.isContainer) {
    throw new Unsupported("Copy-Item of a folder, or into one");
  }
  if (item.path === to) throw new Unsupported("Copy-Item of a file onto itself");
  await attempt(call, "CopyFileInfoItem", () => provider.copy(item, to));
}

async function getItem(call: Call, { item }: Given): Promise<void> {
  if (item.isHidden && !call.flag("Force")) {
    throw new Unsupported(`Get-Item of ${item.path}, which is hidden, without -Force`);
  }
  await call.emit(item.value());
}

async function getChildItem(call: Call, { provider, item, isPattern }: Given): Promise<void> {
  if (isPattern && call.flag("Recurse")) {
    throw new Unsupported("Get-ChildItem -Recurse with wildcards");
  }
  if (!item.isContainer && !isPattern && (call.get("Filter") ?? call.get("Directory"))) {
    throw new Unsupported(`Get-ChildItem of the file ${item.path} with a filter`);
  }
  if (!item.isContainer || isPattern) {
    await show(call, item);
    return;
  }
  const children = (await attempt(call, "Dir", () => provider.children(item))) ?? [];
  for (const child of children) {
    await show(call, child);
  }
  for (const child of call.flag("Recurse") ? children : []) {
    if (child.isContainer && (!child.isHidden || call.flag("Force"))) {
      // 5.1 lists what it points to, 7 does not.
      if (child.isLink)
        throw new Unsupported(`Get-ChildItem -Recurse through the link ${child.path}`);
      await getChildItem(call, { provider, item: child });
    }
  }
}

async function show(call: Call, item: Item): Promise<void> {
  const filter = call.text("Filter") ?? "*";
  if (/[?[\\/]|^\*\.\*$|\.$|^$/.test(filter)) throw new Unsupported(`the filter ${filter}`);
  if (
    (!item.isHidden || call.flag("Force")) &&
    !(call.flag("File") && item.isContainer) &&
    !(call.flag("Directory") && !item.isContainer) &&
    wildcard(filter).test(item.name)
  ) {
    await call.emit(item.value());
  }
}

async function getContent(call: Call, { provider, item }: Given): Promise<void> {
  if (item.isContainer) throw new Unsupported(`Get-Content of the folder ${item.path}`);
  const data = await attempt(call, "GetContentReader", () => provider.read(item));
  const text = data ? decodeText(data, ansi) : "";
  const lines = call.flag("Raw") && text !== "" ? [text] : linesOf(text);
  const tail = call.number("Tail") ?? lines.length;
  if (tail < 0 || (call.flag("Raw") && call.get("Tail") !== undefined)) {
    throw new Unsupported("Get-Content -Tail with -Raw, or a negative number");
  }
  const first = Math.max(0, lines.length - tail);
  for (const line of lines.slice(first)) {
    await call.emit(line);
  }
}

function noContent(call: Call, path: string): Promise<void> {
  const message = `An object at the specified path ${path} does not exist, or has been filtered by the -Include or -Exclude parameter.`;
  return call.fail(raised("System.Exception", message, { id: "ItemNotFound" }));
}

const namespace = "Microsoft.PowerShell.Commands";
/** A class in 7, and an object in 5.1. */
const fileHash = is.types.define({ name: `${namespace}.FileHash` });

async function getFileHash(call: Call, { provider, item }: Given): Promise<void> {
  const data = await attempt(call, "FileRead", () => provider.read(item));
  if (data) {
    const hash = createHash("sha256").update(data).digest("hex").toUpperCase();
    await call.emit(new CustomObject(fileHash).set("Algorithm", "SHA256").set("Hash", hash));
  }
}

export function fileCmdlets(providers: DriveProviders): readonly Cmdlet[] {
  const providerOf = (shell: Shell, of: string): ItemProvider => {
    const drive = driveOf(of);
    const provider = providers(drive.toLowerCase(), shell);
    if (!provider) throw new Unsupported(`the drive ${drive}:`);
    const [letter] = /^[a-z]:/i.exec(of) ?? [];
    if (letter !== undefined && !provider.find(`${letter}\\`)) {
      throw new Unsupported(`the drive ${letter}`);
    }
    return provider;
  };
  const onPaths = (run: (call: Call, given: GivenPath) => Promise<void>) => async (call: Call) => {
    const literal = call.texts("LiteralPath");
    if (literal && call.get("Path") !== undefined) {
      throw new Unsupported(`${call.name} with both -Path and -LiteralPath`);
    }
    const paths = literal ?? call.texts("Path") ?? [];
    if (paths.length === 0 || paths.includes("")) {
      throw new Unsupported(`${call.name} without a path, or with an empty one`);
    }
    for (const each of paths) {
      const provider = providerOf(call.shell, each);
      await run(call, { provider, path: each, isPattern: !literal && hasWildcard(each) });
    }
  };
  /** Like onPaths, for existing items: a path that names none is an error. */
  const onItems = (
    run: (call: Call, given: Given) => Promise<void>,
    nothingMatches?: (call: Call, path: string) => Promise<void>,
  ) =>
    onPaths(async (call, given) => {
      const { provider, path, isPattern } = given;
      const items = await attempt(call, "PathNotFound", () => find(given));
      // The FullName of a folder would end so, too; a file is an error.
      const isOpen = call.name === "Get-Item" || items?.some((each) => !each.isContainer);
      if (isOpen && /[^:\\/][\\/]$/.test(path)) {
        throw new Unsupported(`${call.name} of ${path}, which ends with a separator`);
      }
      if (items?.length === 0 && !isPattern && hasWildcard(path)) {
        // 5.1 passes over most of these in silence.
        throw new Unsupported(`${call.name} of ${path}, which is not there`);
      } else if (items?.length === 0 && call.name === "Get-FileHash") {
        // Its errors are others in 7.
        throw new Unsupported(`${call.name} of ${path}, which is not there`);
      } else if (items?.length === 0 && !isPattern) {
        await call.fail(itemNotFound(provider.resolve(path)));
      } else if (items?.length === 0) {
        await nothingMatches?.(call, path);
      }
      for (const item of items ?? []) {
        await run(call, { provider, item, isPattern });
      }
    });
  const paths = "[[-Path] <string[]>] [-LiteralPath <string[]>]";
  return cmdlets(
    {
      [`Test-Path ${paths} [-PathType <string>]`]: onPaths(testPath),
      "Join-Path [-Path] <string[]> [-ChildPath] <string?>": onPaths(joinPath),
      "Split-Path [-Path] <string[]> [-Leaf]": onPaths(splitPath),
      "New-Item [-Path] <string[]> [-ItemType <string>] [-Force]": onPaths(newItem),
      [`Remove-Item ${paths} [-Recurse] [-Force]`]: onItems(removeItem),
      [`Copy-Item ${paths} [-Destination] <string> [-Force]`]: onItems(copyItem),
      [`Get-Item ${paths} [-Force]`]: onItems(getItem),
      [`Get-ChildItem ${paths} [-Filter <string>] [-File] [-Directory] [-Recurse] [-Force]`]:
        onItems(getChildItem),
      [`Get-Content ${paths} [-Raw] [-Tail <int>]`]: onItems(getContent, noContent),
      [`Get-FileHash ${paths} [-Algorithm {SHA256}]`]: onItems(getFileHash),
    },
    namespace,
  );
}
