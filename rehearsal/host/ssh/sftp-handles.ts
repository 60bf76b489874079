import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import ssh2, { type FileEntry } from "ssh2";
import { directoryEntry } from "./sftp-attributes.ts";

/** An open folder: its entries are handed out once. */
interface OpenFolder {
  entries: FileEntry[];
}

/** A request that names no open file or folder. */
export class BadHandleError extends Error {
  override readonly name = "BadHandleError";
}

/**
 * The open files and folders of one SFTP session.
 *
 * Files are opened, written and closed without giving others their turn, see ../drive-names.ts.
 */
export class SftpHandles {
  readonly #files = new Map<number, number>();
  readonly #folders = new Map<number, OpenFolder>();
  #next = 1;

  openFile(path: string, flags: number): Buffer {
    const file = openSync(path, openFlags(flags), 0o644);
    if (fstatSync(file).isDirectory()) {
      closeSync(file);
      throw new Error("is a folder");
    }
    const id = this.#next++;
    this.#files.set(id, file);
    return encode(id);
  }

  async openFolder(path: string): Promise<Buffer> {
    const names = await readdir(path);
    const found = await Promise.all(
      names.map(async (name) => {
        const stats = await stat(join(path, name)).catch(() => undefined); // a dangling link
        return stats ? [directoryEntry(name, stats)] : [];
      }),
    );
    const id = this.#next++;
    this.#folders.set(id, { entries: found.flat() });
    return encode(id);
  }

  /** Descriptor of an open file. */
  file(handle: Buffer): number {
    const file = this.#files.get(decode(handle));
    if (file === undefined) throw new BadHandleError();
    return file;
  }

  /** The next part of a listing; empty at its end. */
  readFolder(handle: Buffer): FileEntry[] {
    const folder = this.#folders.get(decode(handle));
    if (!folder) throw new BadHandleError();
    return folder.entries.splice(0, 100);
  }

  close(handle: Buffer): void {
    const id = decode(handle);
    if (this.#folders.delete(id)) return;
    const file = this.file(handle);
    this.#files.delete(id);
    closeSync(file);
  }

  closeAll(): void {
    const files = [...this.#files.values()];
    this.#files.clear();
    this.#folders.clear();
    files.forEach((file) => closeSync(file));
  }
}

function encode(id: number): Buffer {
  const handle = Buffer.alloc(4);
  handle.writeUInt32BE(id);
  return handle;
}

function decode(handle: Buffer): number {
  if (handle.length !== 4) throw new BadHandleError();
  return handle.readUInt32BE();
}

/** SFTP's open flags as the system's. */
function openFlags(flags: number): number {
  const { OPEN_MODE } = ssh2.utils.sftp;
  const reads = (flags & OPEN_MODE.READ) !== 0;
  const writes = (flags & (OPEN_MODE.WRITE | OPEN_MODE.APPEND)) !== 0;
  let result = writes ? (reads ? constants.O_RDWR : constants.O_WRONLY) : constants.O_RDONLY;
  if (flags & OPEN_MODE.APPEND) result |= constants.O_APPEND;
  if (flags & OPEN_MODE.CREAT) result |= constants.O_CREAT;
  if (flags & OPEN_MODE.TRUNC) result |= constants.O_TRUNC;
  if (flags & OPEN_MODE.EXCL) result |= constants.O_EXCL;
  return result;
}
