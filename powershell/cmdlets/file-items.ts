/** Files and folders as items. */
import type { Shell } from "../commands.ts";
import { fileInfo, fileName } from "../dotnet/files.ts";
import type { Edition } from "../edition.ts";
import type { Files, FileStatus } from "../host.ts";
import { raised } from "../types.ts";
import { Unsupported } from "../values.ts";
import { joined, split, type Item, type ItemProvider } from "./items.ts";

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
    return this.#files
      .list(container.path)
      .flatMap((name) => {
        const path = joined(this, container.path, name);
        const status = this.#files.status(path);
        // It may have gone since.
        return status ? [this.#item(path, status, this.edition === "Desktop" ? name : path)] : [];
      })
      .sort(
        (a, b) => Number(b.isContainer) - Number(a.isContainer) || byName.compare(a.name, b.name),
      );
  }

  make(path: string, { type, force }: { readonly type?: string; readonly force: boolean }): Item {
    if (type?.toLowerCase() !== "directory") {
      throw new Unsupported("New-Item of anything but a folder or a registry key");
    }
    const there = this.#files.status(path);
    if (there && !(force && there.isFolder)) {
      const message = `An item with the specified name ${path} already exists.`;
      throw raised("System.IO.IOException", message, { id: "DirectoryExist" });
    }
    this.#makeFolders(path);
    return this.find(path) as Item;
  }

  #makeFolders(path: string): void {
    if (!this.#files.status(path)?.isFolder) {
      const { parent } = split(this, path);
      if (parent !== "" && parent !== path) {
        this.#makeFolders(parent);
      }
      this.#files.makeFolder(path);
    }
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
