/** The Linux file system under the drives, with .NET's errors. */
import fs from "node:fs";
import path from "node:path";
import { accessDenied, fileExists, fileNotFound, folderNotFound, ioError } from "./io-errors.ts";
import { Unsupported, type Raised } from "../powershell/values.ts";
import type { FileHandle, FileMode, FileSystem } from "./file-streams.ts";
import type { RecentWrites } from "./recent-writes.ts";

/** .NET's errors by Node.js' error codes. */
const errors: Readonly<Record<string, (file: string) => Raised>> = {
  ENOENT: (file) => (fs.existsSync(path.dirname(file)) ? fileNotFound(file) : folderNotFound(file)),
  ENOTDIR: folderNotFound,
  EACCES: accessDenied,
  EPERM: accessDenied,
  EROFS: accessDenied,
  EISDIR: accessDenied,
  EEXIST: fileExists,
};

/** Runs an action on a path. Converts Node.js' errors to .NET's. */
function on<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : (errors[code]?.(file) ?? ioError(`${message} : '${file}'`));
  }
}

/**
 * The Linux file system.
 *
 * @param folder Relative paths start here.
 * @param recent Gets all writes except copies, which share their content with their source.
 */
export function nodeFiles(folder: string, recent?: RecentWrites): FileSystem {
  return {
    separator: "/",
    resolve: (file) => path.resolve(folder, file),
    status: (file) => {
      const found = on(file, () => fs.statSync(file, { throwIfNoEntry: false, bigint: true }));
      return (
        found && {
          isFolder: found.isDirectory(),
          size: Number(found.size),
          modified: found.mtimeNs / 100n,
          isHidden: path.basename(file).startsWith("."),
          isLink: fs.lstatSync(file).isSymbolicLink(),
        }
      );
    },
    list: (file) => on(file, () => fs.readdirSync(file)),
    read: (file) => on(file, () => fs.readFileSync(file)),
    write: (file, data) =>
      on(file, () => {
        separate(file);
        fs.writeFileSync(file, data);
        recent?.written(file);
      }),
    makeFolder: (file) => on(file, () => void fs.mkdirSync(file)),
    remove: (file) =>
      on(file, () => {
        if (fs.lstatSync(file).isDirectory()) fs.rmdirSync(file);
        else fs.unlinkSync(file);
        recent?.movesFlushed();
      }),
    move: (from, to) =>
      on(from, () => {
        if (fs.existsSync(to)) throw fileExists(to);
        fs.renameSync(from, to);
        recent?.moved({ from, to });
      }),
    replace: (from, to) =>
      on(to, () => {
        if (!fs.existsSync(to)) throw fileNotFound(to);
        const before = recent && fs.readFileSync(to);
        fs.renameSync(from, to);
        recent?.moved({ from, to, before });
      }),
    copy: (from, to) => on(from, () => copyFile(from, to)),
    setModified: (file, moment) =>
      on(file, () => {
        separate(file);
        fs.utimesSync(file, new Date(), moment / 1000);
      }),
    open: (file, { mode, access }) => on(file, () => openFile(file, mode, access, recent)),
  };
}

/**
 * Copies a file as a hard link, because programs are large and emulated disks slow. `separate` makes a real copy before
 * either is written.
 */
function copyFile(from: string, to: string): void {
  try {
    fs.linkSync(from, `${to}.own`);
  } catch {
    fs.copyFileSync(from, to);
    return;
  }
  // Without this, the rename would do nothing if both are already links to the same file.
  fs.rmSync(to, { force: true });
  fs.renameSync(`${to}.own`, to);
}

/** Replaces a hard link to a shared file by a copy of its own. */
function separate(file: string): void {
  const status = fs.statSync(file, { throwIfNoEntry: false });
  if (status?.isFile() && status.nlink > 1) {
    fs.copyFileSync(file, `${file}.own`);
    fs.utimesSync(`${file}.own`, status.atime, status.mtime);
    fs.renameSync(`${file}.own`, file);
  }
}

function openFile(
  file: string,
  mode: FileMode,
  access: "Read" | "Write" | "ReadWrite",
  recent: RecentWrites | undefined,
): FileHandle {
  if (access !== "Read") separate(file);
  const flags: Partial<Record<FileMode, string>> = {
    Open: access === "Read" ? "r" : "r+",
    Create: "w+",
    CreateNew: "wx+",
  };
  const flag = flags[mode];
  if (flag === undefined) throw new Unsupported(`opening files with the mode ${mode}`);
  const descriptor = fs.openSync(file, flag);
  return {
    get size() {
      return fs.fstatSync(descriptor).size;
    },
    position: 0,
    read(length) {
      const buffer = Buffer.alloc(length);
      const count = on(file, () => fs.readSync(descriptor, buffer, 0, length, this.position));
      this.position += count;
      return buffer.subarray(0, count);
    },
    write(data) {
      this.position += on(file, () =>
        fs.writeSync(descriptor, data, 0, data.length, this.position),
      );
      recent?.written(file);
    },
    flush: () => {
      on(file, () => fs.fsyncSync(descriptor));
      recent?.flushed(file);
    },
    close: () => on(file, () => fs.closeSync(descriptor)),
  };
}
