/** Windows' drives, stored in Linux folders. */
import { findOnDrive } from "../machine/drive.ts";
import { AccessDeniedError } from "../machine/windows-path.ts";
import { accessDenied, folderNotFound, ioError } from "./io-errors.ts";
import { Raised, Unsupported } from "../powershell/values.ts";
import type { FileSystem } from "./file-streams.ts";
import { cmdlets, type Cmdlet } from "../powershell/commands.ts";
import type { WindowsMachine } from "../machine/windows-machine.ts";

/** The machine's part in the use of its files. Paths are full. */
interface DriveWatch {
  /** Where relative paths start. Default: C:\\. */
  readonly folder?: string | undefined;
  /** Called before each change, e.g. with `write C:\\k\\config`. Throws to prevent the change. */
  changing(what: string): Promise<void>;
  /** Whether another process, e.g. a running program, prevents that a file is written, removed or renamed. */
  isInUse(path: string, how: "write" | "remove" | "rename"): Promise<boolean>;
  /** Whether another process even prevents that a file is read. */
  isLocked(path: string): boolean;
  /** Called after a file or folder has been renamed. */
  moved(from: string, to: string): Promise<void>;
  /** Whether the pipe of this name has a server. */
  isPipeServed(name: string): Promise<boolean>;
}

/** ERROR_SHARING_VIOLATION, as HRESULT. */
const sharingViolation = -2147024864;

/**
 * A file system with Windows paths. Names ignore case and preserve it, as on NTFS.
 *
 * @param drives Linux folders by drive letter.
 * @param disk The Linux file system.
 */
export function windowsFiles(
  drives: ReadonlyMap<string, string>,
  disk: FileSystem,
  watch: DriveWatch,
): FileSystem {
  const resolve = (path: string): string => {
    const isRelative = !/^([A-Za-z]:|[\\/])/.test(path);
    const full = isRelative && watch.folder !== undefined ? `${watch.folder}\\${path}` : path;
    const [, letter = "C", rest = full] =
      /^([A-Za-z]):(.*)$/s.exec(full.replaceAll("/", "\\")) ?? [];
    const names: string[] = [];
    for (const name of rest.replaceAll("/", "\\").split("\\")) {
      if (name === "..") {
        names.pop();
      } else if (name !== "" && name !== ".") {
        // Windows removes dots and spaces at the end of names.
        names.push(name.replace(/[. ]+$/, ""));
      }
    }
    return `${letter.toUpperCase()}:\\${names.join("\\")}`;
  };
  const locate = (path: string): string | undefined => {
    const [drive = "", ...names] = resolve(path).split("\\");
    const root = drives.get(drive.slice(0, 1));
    if (root === undefined) return undefined;
    try {
      return findOnDrive(
        root,
        names.filter((name) => name !== ""),
      );
    } catch (error) {
      throw error instanceof AccessDeniedError ? accessDenied(path) : error;
    }
  };
  const at = <Result>(path: string, action: (file: string) => Result): Result => {
    const file = locate(path);
    if (file === undefined) throw folderNotFound(path);
    try {
      return action(file);
    } catch (error) {
      if (error instanceof Raised) {
        error.exception.message = error.exception.message.replaceAll(file, path);
      }
      throw error;
    }
  };
  /** How open files are shared, by their full path in lower case. */
  const open = new Map<string, Set<{ readonly share: string }>>();
  const inUse = (named: string) =>
    ioError(
      `The process cannot access the file${named} because it is being used by another process.`,
      sharingViolation,
    );
  const reject = (path: string, wanted: "Read" | "Write" | "Delete", named = ` '${path}'`) => {
    const others = [...(open.get(resolve(path).toLowerCase()) ?? [])];
    if (
      watch.isLocked(resolve(path)) ||
      others.some(({ share }) => share !== "ReadWrite" && !share.includes(wanted))
    ) {
      throw inUse(named);
    }
  };
  const change = async (path: string, how: "write" | "remove" | "rename"): Promise<void> => {
    const full = resolve(path);
    await watch.changing(`${how} ${full}`);
    if (await watch.isInUse(full, how)) throw how === "rename" ? inUse("") : accessDenied(full);
  };
  return {
    separator: "\\",
    resolve,
    status: (path) => {
      const file = locate(path);
      return file === undefined ? undefined : disk.status(file);
    },
    device: (path) => {
      const [, pipe] = /^\\\\\.\\pipe\\(.+)$/i.exec(path) ?? [];
      return pipe === undefined ? undefined : watch.isPipeServed(pipe);
    },
    list: (path) => at(path, (file) => disk.list(file)),
    read: (path) => {
      reject(path, "Read");
      return at(path, (file) => disk.read(file));
    },
    write: async (path, data) => {
      await change(path, "write");
      reject(path, "Write");
      await at(path, (file) => disk.write(file, data));
    },
    makeFolder: async (path) => {
      await watch.changing(`make ${resolve(path)}`);
      await at(path, (file) => disk.makeFolder(file));
    },
    remove: async (path) => {
      await change(path, "remove");
      reject(path, "Delete");
      await at(path, (file) => disk.remove(file));
    },
    move: async (from, to) => {
      await change(from, "rename");
      reject(from, "Delete", "");
      await at(from, (source) => at(to, (target) => disk.move(source, target)));
      await watch.moved(resolve(from), resolve(to));
    },
    replace: async (from, to) => {
      await change(to, "write");
      reject(to, "Delete", "");
      await at(from, (source) => at(to, (target) => disk.replace(source, target)));
    },
    copy: async (from, to) => {
      await change(to, "write");
      reject(from, "Read");
      reject(to, "Write");
      await at(from, (source) => at(to, (target) => disk.copy(source, target)));
    },
    setModified: (path, moment) => at(path, (file) => disk.setModified(file, moment)),
    open: async (path, options) => {
      if (options.mode !== "Open" || options.access !== "Read") {
        await change(path, "write");
      }
      reject(path, options.access === "Read" ? "Read" : "Write");
      const handle = await at(path, (file) => disk.open(file, options));
      const key = resolve(path).toLowerCase();
      const entry = { share: options.share };
      open.set(key, new Set([...(open.get(key) ?? []), entry]));
      const close = handle.close.bind(handle);
      return Object.assign(handle, {
        close: () => {
          open.get(key)?.delete(entry);
          close();
        },
      });
    },
  };
}

/**
 * The cmdlets for volumes.
 *
 * Source: https://learn.microsoft.com/powershell/module/storage/write-volumecache.
 */
export function volumeCmdlets({ programs, recentWrites }: WindowsMachine): readonly Cmdlet[] {
  return cmdlets({
    "Write-VolumeCache [-DriveLetter] <string>"(call) {
      const letter = call.text("DriveLetter") ?? "";
      if (letter.toUpperCase() !== "C") throw new Unsupported(`the volume ${letter}:`);
      recentWrites.allFlushed();
      return programs.flush();
    },
  });
}
