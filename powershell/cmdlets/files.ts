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

const path: ParameterDefinition = { type: "string[]", position: 0, pipeline: "value" };
/** Items out of the pipeline come with a PSPath, which is not supported: their text would be no path. */
const literalPath: ParameterDefinition = {
  type: "string[]",
  aliases: ["PSPath"],
  pipeline: "property",
};
const flag: ParameterDefinition = { type: "switch" };
const text: ParameterDefinition = { type: "string" };

const commands = "Microsoft.PowerShell.Commands";

/** Runs an action on an item; what it raises is the cmdlet's error. `id` is how ids of the cmdlet's errors begin. */
async function attempt<Result>(
  call: Call,
  target: string,
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
    const denied = exception.type.is(is.types.get("System.UnauthorizedAccessException"));
    const ending = denied
      ? id === "RemoveFileSystemItem"
        ? "UnAuthorizedAccess"
        : "UnauthorizedAccessError"
      : "IOError";
    await call.fail(new Raised(exception, undefined, error.id ?? id + ending), {
      category: denied
        ? "PermissionDenied"
        : error.id === "DirectoryExist"
          ? "ResourceExists"
          : "WriteError",
      target,
    });
    return undefined;
  }
}

/** An item a cmdlet is called with. */
interface Given {
  readonly provider: ItemProvider;
  readonly item: Item;
  /** Found by wildcards. */
  readonly isPattern: boolean;
}

class FileCmdlets {
  constructor(
    readonly edition: Edition,
    readonly providers: DriveProviders,
  ) {}

  provider(shell: Shell, path: string): ItemProvider {
    const drive = driveOf(path);
    if (drive === undefined) {
      return new FileItems(shell, this.edition);
    }
    const provider = this.providers(drive.toLowerCase(), shell);
    if (!provider) {
      throw new Unsupported(`the drive ${drive}:`);
    }
    return provider;
  }

  /** What each path leads to. */
  *find(call: Call): Generator<{ path: string; isPattern: boolean; given: Given[] }> {
    const literal = call.texts("LiteralPath");
    const paths = literal ?? call.texts("Path");
    if (!paths) {
      throw new Unsupported(`${call.name} without a path`);
    }
    for (const each of paths) {
      const provider = this.provider(call.shell, each);
      if (!literal && each.includes("`")) {
        throw new Unsupported(`a backtick in the path ${each}`);
      }
      const path = provider.resolve(each);
      const isPattern = !literal && hasWildcard(path);
      const items = isPattern ? expand(provider, path) : [provider.find(path) ?? []].flat();
      yield { path, isPattern, given: items.map((item) => ({ provider, item, isPattern })) };
    }
  }

  /** The items; one that is not there is an error. */
  async *items(call: Call): AsyncGenerator<Given> {
    for (const { path, isPattern, given } of this.find(call)) {
      if (given.length === 0 && !isPattern) {
        await call.fail(itemNotFound(path), { category: "ObjectNotFound", target: path });
      }
      yield* given;
    }
  }

  /** The items, and where each is to go. */
  async *transfers(call: Call): AsyncGenerator<Given & { readonly to: string }> {
    const destination = call.text("Destination");
    if (destination === undefined) {
      throw new Unsupported(`${call.name} without a destination`);
    }
    for await (const given of this.items(call)) {
      const { provider, item } = given;
      if (driveOf(destination) !== driveOf(item.path)) {
        throw new Unsupported(`${call.name} from one kind of drive to another`);
      }
      const to = provider.resolve(destination);
      yield { ...given, to: provider.find(to)?.isContainer ? joined(provider, to, item.name) : to };
    }
  }

  /** The files' texts; `assumed` is the encoding of those that do not say. */
  async *texts(call: Call, assumed?: TextEncoding): AsyncGenerator<string> {
    for await (const { provider, item } of this.items(call)) {
      const data = await attempt(call, item.path, "GetContentReader", () => provider.read(item));
      if (data) {
        yield decodeText(data, assumed);
      }
    }
  }

  async testPath(call: Call): Promise<void> {
    const type = call.text("PathType")?.toLowerCase() ?? "any";
    for (const { given } of this.find(call)) {
      await call.emit(
        given.some(({ item }) => type === "any" || item.isContainer === (type === "container")),
      );
    }
  }

  async joinPath(call: Call): Promise<void> {
    for (const each of call.texts("Path") ?? []) {
      const provider = this.provider(call.shell, each);
      await call.emit(joined(provider, each, call.text("ChildPath") ?? ""));
    }
  }

  async splitPath(call: Call): Promise<void> {
    for (const each of call.texts("Path") ?? []) {
      if (!call.flag("Qualifier")) {
        const { parent, leaf } = split(this.provider(call.shell, each), each);
        await call.emit(call.flag("Leaf") ? leaf : parent);
        continue;
      }
      const [qualifier] = /^[^:]*:(?!:)/.exec(each) ?? [];
      if (qualifier === undefined) {
        throw new Unsupported(`Split-Path -Qualifier of ${each}, which has none`);
      }
      await call.emit(qualifier);
    }
  }

  async newItem(call: Call): Promise<void> {
    for (const each of call.texts("Path") ?? []) {
      const provider = this.provider(call.shell, each);
      const full = provider.resolve(each);
      const made = await attempt(call, full, "NewItem", () =>
        provider.make(full, {
          type: call.text("ItemType"),
          force: call.flag("Force"),
          value: call.text("Value"),
        }),
      );
      if (made) {
        await call.emit(made.value());
      }
    }
  }

  async removeItem(call: Call): Promise<void> {
    for await (const { provider, item } of this.items(call)) {
      await this.#remove(call, provider, item);
    }
  }

  /** Whether it is gone. */
  async #remove(call: Call, provider: ItemProvider, item: Item): Promise<boolean> {
    const id = "RemoveFileSystemItem";
    const force = call.flag("Force");
    const children = item.isContainer ? provider.children(item) : [];
    if (children.length > 0 && !call.flag("Recurse")) {
      throw new Unsupported(
        `Remove-Item of ${item.path}: it would ask whether to remove what is in it`,
      );
    }
    if (children.length > 0 && item.isLink) {
      throw new Unsupported(`Remove-Item of what the link ${item.path} leads to`);
    }
    let isEmpty = true;
    for (const child of children) {
      isEmpty = (await this.#remove(call, provider, child)) && isEmpty;
    }
    const done = await attempt(call, item.path, id, () => {
      if (!isEmpty) {
        throw raised(
          "System.IO.IOException",
          `Directory ${item.path} cannot be removed because it is not empty.`,
          { id: "DirectoryNotEmpty" },
        );
      }
      if (!force && (item.isHidden || item.isReadOnly)) {
        throw raised(
          "System.IO.IOException",
          "You do not have sufficient access rights to perform this operation.",
          { id: `${id}UnAuthorizedAccess` },
        );
      }
      provider.remove(item, { force });
      return true;
    });
    return done ?? false;
  }

  async copyItem(call: Call): Promise<void> {
    for await (const { provider, item, to } of this.transfers(call)) {
      await this.#copy(call, provider, item, to);
    }
  }

  async #copy(call: Call, provider: ItemProvider, item: Item, to: string): Promise<void> {
    if (!item.isContainer) {
      await attempt(call, item.path, "CopyFileInfoItem", () => provider.copy(item, to));
      return;
    }
    const made = await attempt(call, item.path, "CopyDirectoryInfoItem", () =>
      provider.make(to, { type: "Directory", force: true }),
    );
    for (const child of made && call.flag("Recurse") ? provider.children(item) : []) {
      await this.#copy(call, provider, child, joined(provider, to, child.name));
    }
  }

  async moveItem(call: Call): Promise<void> {
    for await (const { provider, item, to } of this.transfers(call)) {
      const id = item.isContainer ? "MoveDirectoryItem" : "MoveFileInfoItem";
      await attempt(call, item.path, id, () => {
        const there = provider.find(to);
        if (there && call.flag("Force") && !item.isContainer && to !== item.path) {
          provider.remove(there, { force: true });
        }
        provider.move(item, to);
      });
    }
  }

  async renameItem(call: Call): Promise<void> {
    const name = call.text("NewName") ?? "";
    if (/[\\/:]/.test(name)) {
      throw new Unsupported("Rename-Item with a path as the new name");
    }
    for await (const { provider, item } of this.items(call)) {
      const to = provider.resolve(joined(provider, joined(provider, item.path, ".."), name));
      await attempt(call, item.path, "RenameItem", () => provider.move(item, to));
    }
  }

  async getItem(call: Call): Promise<void> {
    for await (const { item } of this.items(call)) {
      if (item.isHidden && !call.flag("Force")) {
        const error = raised("System.IO.IOException", `Could not find item ${item.path}.`, {
          id: "ItemNotFound",
        });
        await call.fail(error, { category: "ObjectNotFound", target: item.path });
      } else {
        await call.emit(item.value());
      }
    }
  }

  async getChildItem(call: Call): Promise<void> {
    for await (const { provider, item, isPattern } of this.items(call)) {
      if (isPattern && call.flag("Recurse")) {
        throw new Unsupported("Get-ChildItem -Recurse with wildcards");
      }
      if (item.isContainer && !isPattern) {
        await this.#list(call, provider, item);
      } else {
        await this.#show(call, item);
      }
    }
  }

  async #list(call: Call, provider: ItemProvider, container: Item): Promise<void> {
    const children = await attempt(call, container.path, "Dir", () => provider.children(container));
    for (const child of children ?? []) {
      await this.#show(call, child);
    }
    for (const child of call.flag("Recurse") ? (children ?? []) : []) {
      // Windows PowerShell goes into links, PowerShell 7 does not.
      if (child.isContainer && child.isLink) {
        throw new Unsupported(`Get-ChildItem -Recurse into the link ${child.path}`);
      }
      if (child.isContainer && (!child.isHidden || call.flag("Force"))) {
        await this.#list(call, provider, child);
      }
    }
  }

  async #show(call: Call, item: Item): Promise<void> {
    const filter = call.text("Filter");
    if (filter !== undefined && /[?[]|^\*\.\*$|\.$/.test(filter)) {
      throw new Unsupported(`the filter ${filter}`);
    }
    if (
      (!item.isHidden || call.flag("Force")) &&
      !(call.flag("File") && item.isContainer) &&
      !(call.flag("Directory") && !item.isContainer) &&
      (filter === undefined || wildcard(filter).test(item.name))
    ) {
      await call.emit(item.value());
    }
  }

  async getContent(call: Call): Promise<void> {
    const first = call.number("TotalCount");
    const last = call.number("Tail");
    if ([first, last, call.get("Raw")].filter((each) => each !== undefined).length > 1) {
      throw new Unsupported("Get-Content with more than one of -Raw, -TotalCount and -Tail");
    }
    for await (const text of this.texts(call, defaultEncoding(this.edition))) {
      if (call.flag("Raw")) {
        if (text !== "") {
          await call.emit(text);
        }
        continue;
      }
      const lines = linesOf(text);
      const from = last === undefined || last < 0 ? 0 : Math.max(0, lines.length - last);
      for (const line of lines.slice(from, first === undefined || first < 0 ? undefined : first)) {
        await call.emit(line);
      }
    }
  }

  async getFileHash(call: Call): Promise<void> {
    const algorithm = call.text("Algorithm")?.toUpperCase() ?? "SHA256";
    for await (const { provider, item } of this.items(call)) {
      if (item.isContainer) {
        continue;
      }
      const data = await attempt(call, item.path, "FileRead", () => provider.read(item));
      if (data) {
        const hash = createHash(algorithm.toLowerCase()).update(data).digest("hex").toUpperCase();
        await call.emit(new NetObject(fileHash, { algorithm, hash, path: item.path }));
      }
    }
  }

  async selectString(call: Call): Promise<void> {
    const pattern = compile(call.text("Pattern") ?? "", { ignoreCase: true });
    for await (const text of this.texts(call)) {
      for (const [index, line] of linesOf(text).entries()) {
        const match = pattern.match(line);
        if (match) {
          const found = matchObject(match);
          const matches = is.array([found], is.types.array(found.type));
          await call.emit(new NetObject(matchInfo, { line, number: index + 1, matches }));
        }
      }
    }
  }
}

type Hash = NetObject<{ readonly algorithm: string; readonly hash: string; readonly path: string }>;
const fileHash = is.types.define({
  name: `${commands}.FileHash`,
  properties: {
    Algorithm: ({ state }: Hash) => state.algorithm,
    Hash: ({ state }: Hash) => state.hash,
    Path: ({ state }: Hash) => state.path,
  },
});

type Found = NetObject<{ readonly line: string; readonly number: number; readonly matches: Value }>;
const matchInfo = is.types.define({
  name: `${commands}.MatchInfo`,
  properties: {
    Line: ({ state }: Found) => state.line,
    LineNumber: ({ state }: Found) => state.number,
    Matches: ({ state }: Found) => state.matches,
  },
  unsupported: ["Context", "Filename", "IgnoreCase", "Path", "Pattern", "RelativePath", "ToString"],
});

export function fileCmdlets(options: FileCmdletOptions = {}): readonly Cmdlet[] {
  const own = new FileCmdlets(options.edition ?? "Desktop", options.providers ?? (() => undefined));
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
  const paths = { Path: path, LiteralPath: literalPath };
  // These take no path out of the pipeline.
  const givenPaths = { Path: { ...path, pipeline: undefined }, LiteralPath: literalPath };
  const transfer = { ...paths, Destination: { ...text, position: 1 }, Force: flag };
  return [
    cmdlet(
      "Test-Path",
      { ...paths, PathType: { type: "string", set: ["Any", "Container", "Leaf"] } },
      (call) => own.testPath(call),
    ),
    cmdlet(
      "Join-Path",
      {
        Path: { ...path, mandatory: true },
        ChildPath: { type: "string", position: 1, mandatory: true, allowEmpty: true },
      },
      (call) => own.joinPath(call),
    ),
    cmdlet(
      "Split-Path",
      { Path: { ...path, mandatory: true }, Parent: flag, Leaf: flag, Qualifier: flag },
      (call) => own.splitPath(call),
    ),
    cmdlet(
      "New-Item",
      {
        Path: { type: "string[]", position: 0, mandatory: true },
        ItemType: { type: "string", aliases: ["Type"] },
        Value: text,
        Force: flag,
      },
      (call) => own.newItem(call),
    ),
    cmdlet("Remove-Item", { ...paths, Recurse: flag, Force: flag }, (call) => own.removeItem(call)),
    cmdlet("Copy-Item", { ...transfer, Recurse: flag }, (call) => own.copyItem(call)),
    cmdlet("Move-Item", transfer, (call) => own.moveItem(call)),
    cmdlet(
      "Rename-Item",
      { LiteralPath: literalPath, NewName: { ...text, mandatory: true } },
      (call) => own.renameItem(call),
    ),
    cmdlet("Get-Item", { ...paths, Force: flag }, (call) => own.getItem(call)),
    cmdlet(
      "Get-ChildItem",
      { ...paths, Filter: text, File: flag, Directory: flag, Recurse: flag, Force: flag },
      (call) => own.getChildItem(call),
    ),
    cmdlet(
      "Get-Content",
      { ...givenPaths, Raw: flag, TotalCount: { type: "int" }, Tail: { type: "int" } },
      (call) => own.getContent(call),
    ),
    cmdlet(
      "Get-FileHash",
      {
        ...givenPaths,
        Algorithm: { type: "string", set: ["SHA1", "SHA256", "SHA384", "SHA512", "MD5"] },
      },
      (call) => own.getFileHash(call),
    ),
    cmdlet(
      "Select-String",
      {
        ...givenPaths,
        Pattern: { type: "string", mandatory: true },
        InputObject: { type: "object", pipeline: "value" },
      },
      (call) => own.selectString(call),
    ),
  ];
}
