/** Cmdlets on files and other items. */
import { createHash } from "node:crypto";
import type { Call, Cmdlet, ParameterDefinition, Shell } from "../commands.ts";
import { decodeText, defaultEncoding, type TextEncoding } from "../dotnet/encoding.ts";
import { linesOf } from "../dotnet/files.ts";
import { matchObject } from "../dotnet/strings.ts";
import type { Edition } from "../edition.ts";
import { compile } from "../regex.ts";
import * as is from "../types.ts";
import { raised } from "../types.ts";
import { NetObject, Raised, Unsupported, type Value } from "../values.ts";
import { hasWildcard, wildcard } from "../wildcard.ts";
import { FileItems } from "./file-items.ts";
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

export interface FileCmdletOptions {
  readonly edition?: Edition;
  /** For drives that have something else than files. */
  readonly providers?: DriveProviders;
}

/** An item that a cmdlet is called with, or one below it. */
interface Given {
  readonly provider: ItemProvider;
  readonly item: Item;
  /** Found by wildcards. */
  readonly isPattern?: boolean;
}

/** Does something with an item; what that raises is the cmdlet's error, with an id that begins with `id`. */
async function attempt<Result>(
  call: Call,
  id: string,
  action: () => Result,
): Promise<Result | undefined> {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof Raised)) {
      throw error;
    }
    const { exception } = error;
    const isDenied = exception.type.shortName === "UnauthorizedAccessException";
    const ending = isDenied ? "UnauthorizedAccessError" : "IOError";
    await call.fail(new Raised(exception, undefined, error.id ?? id + ending));
    return undefined;
  }
}

async function newItem(call: Call, provider: ItemProvider, path: string): Promise<void> {
  const options = { type: call.text("ItemType"), force: call.flag("Force") };
  const made = await attempt(call, "NewItem", () => provider.make(provider.resolve(path), options));
  if (made) {
    await call.emit(made.value());
  }
}

async function splitPath(call: Call, provider: ItemProvider, path: string): Promise<void> {
  const { parent, leaf } = split(provider, path);
  const qualifier = /^[^:]*:(?!:)/.exec(path)?.[0];
  if (call.flag("Qualifier") && qualifier === undefined) {
    throw new Unsupported(`Split-Path -Qualifier of ${path}, which has none`);
  }
  await call.emit(call.flag("Qualifier") ? (qualifier ?? "") : call.flag("Leaf") ? leaf : parent);
}

/** Returns whether it is gone. */
async function removeItem(call: Call, { provider, item }: Given): Promise<boolean> {
  const force = call.flag("Force");
  const children = item.isContainer ? provider.children(item) : [];
  if (children.length > 0 && (item.isLink || !call.flag("Recurse"))) {
    // PowerShell asks whether to remove that, or goes into the link.
    throw new Unsupported(`Remove-Item of what is in ${item.path}`);
  }
  if (!force && (item.isHidden || item.isReadOnly)) {
    throw new Unsupported(`Remove-Item of ${item.path} without -Force`);
  }
  let isEmpty = true;
  for (const child of children) {
    isEmpty = (await removeItem(call, { provider, item: child })) && isEmpty;
  }
  const isGone = await attempt(call, "RemoveFileSystemItem", () => {
    if (!isEmpty) {
      const message = `Directory ${item.path} cannot be removed because it is not empty.`;
      throw raised("System.IO.IOException", message, { id: "DirectoryNotEmpty" });
    }
    provider.remove(item, { force });
    return true;
  });
  return isGone ?? false;
}

/** Where -Destination sends an item. */
function targetOf(call: Call, { provider, item }: Given): string {
  const destination = call.text("Destination") ?? "";
  if (driveOf(destination) !== driveOf(item.path)) {
    throw new Unsupported(`${call.name} from one kind of drive to another`);
  }
  const to = provider.resolve(destination);
  return provider.find(to)?.isContainer ? joined(provider, to, item.name) : to;
}

async function copyItem(call: Call, given: Given, to = targetOf(call, given)): Promise<void> {
  const { provider, item } = given;
  if (!item.isContainer) {
    await attempt(call, "CopyFileInfoItem", () => provider.copy(item, to));
    return;
  }
  const made = await attempt(call, "CopyDirectoryInfoItem", () =>
    provider.make(to, { type: "Directory", force: true }),
  );
  for (const child of made && call.flag("Recurse") ? provider.children(item) : []) {
    await copyItem(call, { provider, item: child }, joined(provider, to, child.name));
  }
}

async function moveItem(call: Call, given: Given): Promise<void> {
  const { provider, item } = given;
  const to = targetOf(call, given);
  await attempt(call, item.isContainer ? "MoveDirectoryItem" : "MoveFileInfoItem", () => {
    const there = provider.find(to);
    if (there && call.flag("Force") && !item.isContainer && to !== item.path) {
      provider.remove(there, { force: true });
    }
    provider.move(item, to);
  });
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
  if (!item.isContainer || isPattern) {
    await show(call, item);
    return;
  }
  const children = (await attempt(call, "Dir", () => provider.children(item))) ?? [];
  for (const child of children) {
    await show(call, child);
  }
  for (const child of children.filter(({ isContainer }) => isContainer && call.flag("Recurse"))) {
    // Windows PowerShell goes into links, PowerShell 7 does not.
    if (child.isLink) {
      throw new Unsupported(`Get-ChildItem -Recurse into the link ${child.path}`);
    }
    if (!child.isHidden || call.flag("Force")) {
      await getChildItem(call, { provider, item: child });
    }
  }
}

/** Hands on an item that Get-ChildItem is asked for. */
async function show(call: Call, item: Item): Promise<void> {
  const filter = call.text("Filter") ?? "*";
  if (/[?[]|^\*\.\*$|\.$/.test(filter)) {
    throw new Unsupported(`the filter ${filter}`);
  }
  if (
    (!item.isHidden || call.flag("Force")) &&
    !(call.flag("File") && item.isContainer) &&
    !(call.flag("Directory") && !item.isContainer) &&
    wildcard(filter).test(item.name)
  ) {
    await call.emit(item.value());
  }
}

/** A file's text; `assumed` is the encoding of one that does not say. */
async function readText(
  call: Call,
  { provider, item }: Given,
  assumed?: TextEncoding,
): Promise<string> {
  const data = await attempt(call, "GetContentReader", () => provider.read(item));
  return data ? decodeText(data, assumed) : "";
}

async function getContent(call: Call, given: Given, assumed: TextEncoding): Promise<void> {
  const text = await readText(call, given, assumed);
  const lines = call.flag("Raw") ? [text].filter((each) => each !== "") : linesOf(text);
  const from = Math.max(0, lines.length - (call.number("Tail") ?? lines.length));
  for (const line of lines.slice(from, call.number("TotalCount"))) {
    await call.emit(line);
  }
}

async function getFileHash(call: Call, { provider, item }: Given): Promise<void> {
  const data = await attempt(call, "FileRead", () => provider.read(item));
  if (data) {
    const hash = createHash("sha256").update(data).digest("hex").toUpperCase();
    await call.emit(new NetObject(fileHash, hash));
  }
}

const commands = "Microsoft.PowerShell.Commands";
const fileHash = is.types.define({
  name: `${commands}.FileHash`,
  properties: {
    Algorithm: () => "SHA256",
    Hash: ({ state }: NetObject<string>) => state,
  },
  unsupported: ["Path"],
});

async function selectString(call: Call, given: Given): Promise<void> {
  const pattern = compile(call.text("Pattern") ?? "", { ignoreCase: true });
  for (const [index, line] of linesOf(await readText(call, given)).entries()) {
    const match = pattern.match(line);
    if (match) {
      const found = matchObject(match);
      const matches = is.array([found], is.types.array(found.type));
      await call.emit(new NetObject(matchInfo, { line, number: index + 1, matches }));
    }
  }
}

type Found = NetObject<{ readonly line: string; readonly number: number; readonly matches: Value }>;
const matchInfo = is.types.define({
  name: `${commands}.MatchInfo`,
  properties: {
    Line: ({ state }: Found) => state.line,
    LineNumber: ({ state }: Found) => state.number,
    Matches: ({ state }: Found) => state.matches,
  },
  unsupported: ["Filename", "Path", "Pattern", "ToString"],
});

const flag: ParameterDefinition = { type: "switch" };
const text: ParameterDefinition = { type: "string" };
const number: ParameterDefinition = { type: "int" };
const path: ParameterDefinition = { type: "string[]", position: 0 };
const paths = {
  Path: path,
  // Items out of the pipeline come with a PSPath, which is not supported: their text would be no path.
  LiteralPath: { type: "string[]", aliases: ["PSPath"], pipeline: "property" },
} as const;

export function fileCmdlets({
  edition = "Desktop",
  providers,
}: FileCmdletOptions = {}): readonly Cmdlet[] {
  const providerOf = (shell: Shell, of: string): ItemProvider => {
    const drive = driveOf(of);
    const provider =
      drive === undefined ? new FileItems(shell, edition) : providers?.(drive.toLowerCase(), shell);
    if (!provider) {
      throw new Unsupported(`the drive ${drive ?? ""}:`);
    }
    return provider;
  };
  /** What each path leads to. */
  const find = (call: Call) => {
    const literal = call.texts("LiteralPath");
    return (literal ?? call.texts("Path") ?? []).map((each) => {
      if (!literal && each.includes("`")) {
        throw new Unsupported(`a backtick in the path ${each}`);
      }
      const provider = providerOf(call.shell, each);
      const full = provider.resolve(each);
      const isPattern = !literal && hasWildcard(full);
      const items = isPattern ? expand(provider, full) : [provider.find(full) ?? []].flat();
      return { path: full, isPattern, given: items.map((item) => ({ provider, item, isPattern })) };
    });
  };
  const cmdlet = (
    name: string,
    parameters: Cmdlet["parameters"],
    run: (call: Call) => Promise<void>,
  ): Cmdlet => ({
    name,
    implementation: `${commands}.${name.replace("-", "")}Command`,
    parameters,
    run,
  });
  /** One on paths, whether or not something is there. */
  const onPaths = (
    name: string,
    parameters: Cmdlet["parameters"],
    run: (call: Call, provider: ItemProvider, path: string) => Promise<void>,
  ): Cmdlet =>
    cmdlet(name, { Path: { ...path, mandatory: true }, ...parameters }, async (call) => {
      for (const each of call.texts("Path") ?? []) {
        await run(call, providerOf(call.shell, each), each);
      }
    });
  /** One on items; an item that is not there is an error. */
  const onItems = (
    name: string,
    parameters: Cmdlet["parameters"],
    run: (call: Call, given: Given) => Promise<unknown>,
  ): Cmdlet =>
    cmdlet(name, { ...paths, ...parameters }, async (call) => {
      for (const { path: each, isPattern, given } of find(call)) {
        if (given.length === 0 && !isPattern) {
          await call.fail(itemNotFound(each));
        }
        for (const one of given) {
          await run(call, one);
        }
      }
    });
  const transfer = { Destination: { ...text, position: 1, mandatory: true }, Force: flag };
  const child = { ...text, position: 1, mandatory: true, allowEmpty: true };
  return [
    cmdlet(
      "Test-Path",
      {
        Path: { ...path, pipeline: "value" },
        LiteralPath: paths.LiteralPath,
        PathType: { ...text, set: ["Any", "Container", "Leaf"] },
      },
      async (call) => {
        const type = call.text("PathType")?.toLowerCase() ?? "any";
        const fits = ({ item }: Given) =>
          type === "any" || item.isContainer === (type === "container");
        for (const { given } of find(call)) {
          await call.emit(given.some(fits));
        }
      },
    ),
    onPaths("Join-Path", { ChildPath: child }, (call, provider, parent) =>
      call.emit(joined(provider, parent, call.text("ChildPath") ?? "")),
    ),
    onPaths("Split-Path", { Parent: flag, Leaf: flag, Qualifier: flag }, splitPath),
    onPaths("New-Item", { ItemType: text, Force: flag }, newItem),
    onItems("Remove-Item", { Recurse: flag, Force: flag }, removeItem),
    onItems("Copy-Item", { ...transfer, Recurse: flag }, (call, given) => copyItem(call, given)),
    onItems("Move-Item", transfer, moveItem),
    onItems("Get-Item", { Force: flag }, getItem),
    onItems(
      "Get-ChildItem",
      { Filter: text, File: flag, Directory: flag, Recurse: flag, Force: flag },
      getChildItem,
    ),
    onItems("Get-Content", { Raw: flag, TotalCount: number, Tail: number }, (call, given) =>
      getContent(call, given, defaultEncoding(edition)),
    ),
    onItems("Get-FileHash", { Algorithm: { ...text, set: ["SHA256"] } }, getFileHash),
    onItems("Select-String", { Pattern: { ...text, mandatory: true } }, selectString),
  ];
}
