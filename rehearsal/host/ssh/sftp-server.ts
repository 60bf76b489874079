import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  statSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { lstat, mkdir, readdir, rmdir, stat, unlink } from "node:fs/promises";
import ssh2, { type Attributes, type SFTPWrapper, type FileEntry } from "ssh2";
import { isMissing } from "../drive.ts";
import { homeFolder, type WindowsHost } from "../windows-host.ts";
import { AccessDeniedError, WindowsPathError, windowsPathNames } from "../windows-path.ts";
import { join } from "node:path";

const status = ssh2.utils.sftp.STATUS_CODE;
const home = windowsPathNames(homeFolder);
/** The most one READ returns, as in OpenSSH. */
const longestRead = 256 * 1024;

/**
 * Serves SFTP over drive C:, with the paths of Win32-OpenSSH: `/C:/k/x`, `C:/k/x`, or relative to the home folder.
 *
 * Links and other names are not served; rights and times are accepted and ignored.
 */
export function serveSftp(
  sftp: SFTPWrapper,
  { drive, recentWrites }: Pick<WindowsHost, "drive" | "recentWrites">,
  log: (line: string) => void,
  beforeWrite: (bytes: number) => Promise<void> = () => Promise.resolve(),
): void {
  const handles = new SftpHandles();
  announce(sftp, flushExtension);
  const resolve = (path: string): Promise<string> => drive.resolve(path, home);

  /** Runs one request; its error becomes the answer. */
  function answer(request: number, work: () => Promise<void> | void): void {
    new Promise<void>((settled) => settled(work())).catch((error: unknown) => {
      try {
        sftp.status(request, statusOf(error), messageOf(error));
      } catch (closed) {
        log(`sftp: ${String(closed)}`);
      }
    });
  }
  const done = (request: number): void => void sftp.status(request, status.OK);

  sftp.on("OPEN", (request, path, flags) =>
    answer(request, async () => {
      sftp.handle(request, handles.openFile(await resolve(path), flags));
    }),
  );
  sftp.on("READ", (request, handle, offset, length) =>
    answer(request, () => {
      const buffer = Buffer.alloc(Math.min(length, longestRead));
      const bytesRead = readSync(handles.file(handle).descriptor, buffer, 0, buffer.length, offset);
      if (bytesRead === 0) sftp.status(request, status.EOF);
      else sftp.data(request, buffer.subarray(0, bytesRead));
    }),
  );
  sftp.on("WRITE", (request, handle, offset, data) =>
    answer(request, async () => {
      await beforeWrite(data.length);
      // Not before: where the connection is cut meanwhile, the descriptor is soon another file's.
      const { descriptor, path } = handles.file(handle);
      recentWrites.written(path);
      for (let written = 0; written < data.length;) {
        const position = offset + written;
        written += writeSync(descriptor, data, written, data.length - written, position);
      }
      done(request);
    }),
  );
  sftp.on("EXTENDED", (request, name, data) =>
    answer(request, () => {
      if (name !== flushExtension) return void sftp.status(request, status.OP_UNSUPPORTED);
      const { descriptor, path } = handles.file(data.subarray(4));
      fsyncSync(descriptor);
      recentWrites.flushed(path);
      done(request);
    }),
  );
  sftp.on("CLOSE", (request, handle) =>
    answer(request, () => {
      handles.close(handle);
      done(request);
    }),
  );
  sftp.on("OPENDIR", (request, path) =>
    answer(request, async () => {
      sftp.handle(request, await handles.openFolder(await resolve(path)));
    }),
  );
  sftp.on("READDIR", (request, handle) =>
    answer(request, () => {
      const entries = handles.readFolder(handle);
      if (entries.length === 0) sftp.status(request, status.EOF);
      else sftp.name(request, entries);
    }),
  );
  sftp.on("FSTAT", (request, handle) =>
    answer(request, () => {
      sftp.attrs(request, attributesOf(fstatSync(handles.file(handle).descriptor)));
    }),
  );
  sftp.on("FSETSTAT", done);
  const onPath = sftp.on.bind(sftp) as unknown as (
    name: string,
    listener: (request: number, path: string) => void,
  ) => void;
  for (const [name, look] of Object.entries({ STAT: stat, LSTAT: lstat })) {
    onPath(name, (request, path) =>
      answer(request, async () => {
        sftp.attrs(request, attributesOf(await look(await resolve(path))));
      }),
    );
  }
  for (const [name, change] of Object.entries({ MKDIR: mkdir, RMDIR: rmdir, REMOVE: unlink })) {
    onPath(name, (request, path) =>
      answer(request, async () => {
        await change(await resolve(path));
        done(request);
      }),
    );
  }
  sftp.on("REALPATH", (request, path) =>
    answer(request, async () => {
      const filename = `/${(await drive.display(path, home)).replaceAll("\\", "/")}`;
      const attrs = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 };
      sftp.name(request, [{ filename, longname: filename, attrs }]);
    }),
  );
  sftp.on("error", (error: Error) => log(`sftp: ${error.message}`));
  sftp.on("end", () => endSftp(sftp));
  sftp.on("close", () => {
    handles.closeAll();
  });
}

function statusOf(error: unknown): number {
  if (error instanceof AccessDeniedError) return status.PERMISSION_DENIED;
  if (error instanceof WindowsPathError || isMissing(error)) return status.NO_SUCH_FILE;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EACCES" || code === "EPERM" ? status.PERMISSION_DENIED : status.FAILURE;
}

/** Never a path of the Linux side. */
function messageOf(error: unknown): string {
  if (error instanceof WindowsPathError) return error.message;
  if (error instanceof BadHandleError) return "Invalid handle";
  const code = error instanceof Error && "code" in error ? String(error.code) : "Failure";
  return isMissing(error) ? "No such file or directory" : code;
}

/** What ssh2's SFTP stream has inside, seen in 1.17. */
interface SftpInternals {
  readonly outgoing: { readonly id: number; readonly state: string };
  _protocol: {
    exitStatus(channel: number, status: number): void;
    channelData(channel: number, data: Buffer): void;
  };
}

/** Has a file on the disk: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL, section 4.5. */
const flushExtension = "fsync@openssh.com";

/** Announces an extension, in its version 1, in the first answer of a session: ssh2 offers no way to. */
function announce(sftp: SFTPWrapper, extension: string): void {
  const internals = sftp as unknown as SftpInternals;
  const { _protocol: protocol } = internals;
  const words = [extension, "1"].flatMap((word) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(word.length);
    return [length, Buffer.from(word)];
  });
  internals._protocol = Object.assign(Object.create(protocol) as typeof protocol, {
    channelData(channel: number, version: Buffer) {
      internals._protocol = protocol;
      const answer = Buffer.concat([version, ...words]);
      answer.writeUInt32BE(answer.length - 4);
      protocol.channelData(channel, answer);
    },
  });
}

/**
 * Ends an SFTP session as sftp-server does when its client has no more to say: exit status 0, then the channel closed.
 *
 * scp waits for that status, and ssh2 offers no way to send it from its SFTP stream.
 */
export function endSftp(sftp: SFTPWrapper): void {
  const { outgoing, _protocol: protocol } = sftp as unknown as SftpInternals;
  if (outgoing.state === "open") protocol.exitStatus(outgoing.id, 0);
  sftp.end();
}

/** A request that names no open file or folder. */
class BadHandleError extends Error {
  override readonly name = "BadHandleError";
}

interface OpenFile {
  readonly descriptor: number;
  /** Of the Linux file system. */
  readonly path: string;
}

/**
 * The open files and folders of one SFTP session.
 *
 * Files are opened, written and closed without giving others their turn, see ../drive.ts.
 */
class SftpHandles {
  /** Files, and what is left to list of folders. */
  readonly #open = new Map<number, OpenFile | FileEntry[]>();
  #next = 1;

  openFile(path: string, flags: number): Buffer {
    // Another name of it is a copy (../../windows/linked-copies.ts), which keeps its content.
    const there = statSync(path, { throwIfNoEntry: false });
    if ((openFlags(flags) & constants.O_TRUNC) !== 0 && there?.isFile() && there.nlink > 1) {
      unlinkSync(path);
    }
    const descriptor = openSync(path, openFlags(flags), 0o644);
    if (fstatSync(descriptor).isDirectory()) {
      closeSync(descriptor);
      throw new Error("is a folder");
    }
    return this.#add({ descriptor, path });
  }

  async openFolder(path: string): Promise<Buffer> {
    const names = await readdir(path);
    const found = await Promise.all(
      names.map(async (name) => {
        const stats = await stat(join(path, name)).catch(() => undefined); // a dangling link
        return stats ? [directoryEntry(name, stats)] : [];
      }),
    );
    return this.#add(found.flat());
  }

  file(handle: Buffer): OpenFile {
    const file = this.#open.get(decode(handle));
    if (file === undefined || Array.isArray(file)) throw new BadHandleError();
    return file;
  }

  /** The next part of a listing; empty at its end. */
  readFolder(handle: Buffer): FileEntry[] {
    const entries = this.#open.get(decode(handle));
    if (!Array.isArray(entries)) throw new BadHandleError();
    return entries.splice(0, 100);
  }

  close(handle: Buffer): void {
    const opened = this.#open.get(decode(handle));
    if (opened === undefined) throw new BadHandleError();
    this.#open.delete(decode(handle));
    if (!Array.isArray(opened)) closeSync(opened.descriptor);
  }

  closeAll(): void {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const each of all) if (!Array.isArray(each)) closeSync(each.descriptor);
  }

  #add(opened: OpenFile | FileEntry[]): Buffer {
    const id = this.#next++;
    this.#open.set(id, opened);
    return encode(id);
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

/** A file's attributes as Win32-OpenSSH's sftp-server shows them: one owner, rights that mean nothing on NTFS. */
function attributesOf(stats: Stats): Attributes {
  return {
    mode: stats.isDirectory() ? 0o040777 : 0o100666,
    uid: 0,
    gid: 0,
    size: stats.size,
    atime: Math.floor(stats.atimeMs / 1000),
    mtime: Math.floor(stats.mtimeMs / 1000),
  };
}

/** One line of a listing; the long name is what `ls -l` of an SFTP client prints. */
function directoryEntry(name: string, stats: Stats): FileEntry {
  const rights = stats.isDirectory() ? "drwxrwxrwx" : "-rw-rw-rw-";
  const size = String(stats.size).padStart(10);
  const time = stats.mtime.toISOString().slice(0, 16).replace("T", " ");
  return {
    filename: name,
    longname: `${rights}    1 -        -        ${size} ${time} ${name}`,
    attrs: attributesOf(stats),
  };
}
