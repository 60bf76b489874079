/** Files and folders as items. */
import { joined, split, type Item, type ItemProvider } from "../powershell/cmdlets/items.ts";
import { raised, type Types } from "../powershell/types.ts";
import { Unsupported } from "../powershell/values.ts";
import type { FileSystem } from "./file-streams.ts";
import { fileInfo, fileName } from "./file-types.ts";
import { folderNotFound } from "./io-errors.ts";

export function fileItems(files: FileSystem, types: Types): ItemProvider {
  /** Undefined if the path does not exist. */
  const find = (path: string, isListed = false): Item | undefined => {
    const status = files.status(path);
    const name = fileName(path);
    return (
      status && {
        path,
        name,
        isContainer: status.isFolder,
        isHidden: status.isHidden,
        isLink: status.isLink ?? false,
        value: () => fileInfo(types, { path, isListed, status }),
      }
    );
  };
  const makeFolders = async (path: string): Promise<void> => {
    const existing = files.status(path);
    if (existing?.isFolder === false) throw new Unsupported(`New-Item below the file ${path}`);
    if (!existing) {
      const { parent } = split(provider, path);
      if (parent !== "" && parent !== path) {
        await makeFolders(parent);
      }
      await files.makeFolder(path);
    }
  };
  const provider: ItemProvider = {
    separator: files.separator,
    resolve: (path) => {
      // A user's folder, or on Linux a separator.
      if (path.startsWith("~") || (files.separator === "/" && path.includes("\\"))) {
        throw new Unsupported(`the path ${path}`);
      }
      return files.resolve(path);
    },
    find: (path) => find(path),
    device: (path) => files.device?.(path),
    children: ({ path }) =>
      files
        .list(path)
        .flatMap((name) => find(joined(provider, path, name), true) ?? [])
        .sort(
          (a, b) =>
            Number(b.isContainer) - Number(a.isContainer) || a.name.localeCompare(b.name, "en"),
        ),
    make: async (path, { type, force }) => {
      if (type?.toLowerCase() !== "directory") {
        throw new Unsupported("New-Item of anything but a folder or a registry key");
      }
      const existing = files.status(path);
      if (existing && !existing.isFolder && force) return undefined;
      if (existing && !force) {
        const message = `An item with the specified name ${path} already exists.`;
        throw raised("System.IO.IOException", message, { id: "DirectoryExist" });
      }
      await makeFolders(path);
      return find(path);
    },
    remove: ({ path }) => files.remove(path),
    copy: ({ path }, to) => {
      if (!files.status(split(provider, to).parent)) throw folderNotFound(to);
      return files.copy(path, to);
    },
    read: ({ path }) => files.read(path),
  };
  return provider;
}
