/** Files and folders as items. */
import type { Shell } from "../commands.ts";
import { fileInfo, fileName } from "../dotnet/files.ts";
import { fileExists } from "../dotnet/io-errors.ts";
import type { Edition } from "../edition.ts";
import type { Files, FileStatus } from "../host.ts";
import { raised } from "../types.ts";
import { Unsupported } from "../values.ts";
import { split, type Item, type ItemProvider } from "./items.ts";

const byName = new Intl.Collator("en");

export class FileItems implements ItemProvider {
  readonly separator: "\\" | "/";
  readonly #files: Files;

  constructor(
    readonly shell: Shell,
    readonly edition: Edition,
  ) {
    this.#files = shell.host.files;
    this.separator = this.#files.separator;
  }

  resolve(path: string): string {
    return this.#files.resolve(path);
  }

  find(path: string): Item | undefined {
    const status = this.#files.status(path);
    return status && this.#item(path, status, path);
  }

  children(container: Item): Item[] {
    const { path } = container;
    const start = path.endsWith(this.separator) ? path : path + this.separator;
    return this.#files
      .list(path)
      .flatMap((name) => {
        // It may have gone since.
        const status = this.#files.status(start + name);
        const shown = this.edition === "Desktop" ? name : start + name;
        return status ? [this.#item(start + name, status, shown)] : [];
      })
      .sort(
        (a, b) => Number(b.isContainer) - Number(a.isContainer) || byName.compare(a.name, b.name),
      );
  }

  make(
    path: string,
    {
      type,
      force,
      value,
    }: { readonly type: string | undefined; readonly force: boolean; readonly value?: string },
  ): Item {
    const there = this.#files.status(path);
    switch (type?.toLowerCase() ?? "") {
      case "directory":
        if (value !== undefined) {
          throw new Unsupported("New-Item with a value for a folder");
        }
        if (there && !(force && there.isFolder)) {
          throw raised(
            "System.IO.IOException",
            `An item with the specified name ${path} already exists.`,
            { id: "DirectoryExist" },
          );
        }
        this.#makeFolders(path);
        break;
      case "file":
        if (there && !force) {
          throw fileExists(path);
        }
        if (force) {
          this.#makeFolders(split(this, path).parent);
        }
        this.#files.write(path, Buffer.from(value ?? "", "utf8"));
        break;
      default:
        throw new Unsupported(`New-Item of a file without -ItemType, or of type ${String(type)}`);
    }
    return this.find(path) as Item;
  }

  #makeFolders(path: string): void {
    if (this.#files.status(path)?.isFolder) {
      return;
    }
    const { parent } = split(this, path);
    if (parent !== "" && parent !== path) {
      this.#makeFolders(parent);
    }
    this.#files.makeFolder(path);
  }

  remove(item: Item, options: { readonly force: boolean }): void {
    this.#files.remove(item.path, options);
  }

  copy(item: Item, to: string): void {
    this.#files.copy(item.path, to);
  }

  move(item: Item, to: string): void {
    this.#files.move(item.path, to);
  }

  read(item: Item): Buffer {
    return this.#files.read(item.path);
  }

  #item(path: string, status: FileStatus, shown: string): Item {
    return {
      path,
      name: fileName(path),
      isContainer: status.isFolder,
      isHidden: status.isHidden,
      isLink: status.isLink ?? false,
      isReadOnly: status.isReadOnly,
      value: () => fileInfo(this.shell.types, { path, shown, status }),
    };
  }
}
