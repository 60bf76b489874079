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
import { homeFolder, type WindowsMachine } from "../windows-machine.ts";
import { AccessDeniedError, WindowsPathError, windowsPathNames } from "../windows-path.ts";
import { join } from "node:path";

const status = ssh2.utils.sftp.STATUS_CODE;
const home = windowsPathNames(homeFolder);
/** Maximum bytes returned by one READ, as in OpenSSH. */
const longestRead = 256 * 1024;

/**
 * Serves SFTP over drive C:, with the paths of Win32-OpenSSH: `/C:/k/x`, `C:/k/x`, or relative to the home folder.
 *
 * Links and renames are not supported. Permissions and times are accepted and ignored.
 */
export function serveSftp(
  sftp: SFTPWrapper,
  { drive, recentWrites }: Pick<WindowsMachine, "drive" | "recentWrites">,
  log: (line: string) => void,
  beforeWrite: (bytes: number) => Promise<void> = () => Promise.resolve(),
): void {
  const open = new OpenFiles();
  announce(sftp, flushExtension);
  const resolve = (path: string): Promise<string> => drive.resolve(path, home);
  const done = (request: number): void => void sftp.status(request, status.OK);

  /** Serves one kind of request. An error is sent as its answer. */
  function serve<Args extends readonly unknown[]>(
    name: string,
    work: (request: number, ...args: Args) => Promise<void> | void,
  ): void {
    const listener = (request: number, ...args: Args): void => {
      new Promise<void>((settled) => settled(work(request, ...args))).catch((error: unknown) => {
        try {
          sftp.status(request, ...problemOf(error));
        } catch (closed) {
          log(`sftp: ${String(closed)}`);
        }
      });
    };
    sftp.on(name as "error", listener as () => void);
  }

  serve("OPEN", async (request, path: string, flags: number) => {
    sftp.handle(request, open.file(await resolve(path), flags));
  });
  serve("READ", (request, handle: Buffer, offset: number, length: number) => {
    const buffer = Buffer.alloc(Math.min(length, longestRead));
    const bytesRead = readSync(open.get(handle).descriptor, buffer, 0, buffer.length, offset);
    if (bytesRead === 0) sftp.status(request, status.EOF);
    else sftp.data(request, buffer.subarray(0, bytesRead));
  });
  serve("WRITE", async (request, handle: Buffer, offset: number, data: Buffer) => {
    await beforeWrite(data.length);
    // Only now, because if the connection was cut meanwhile, the descriptor may already be that of another file.
    const { descriptor, path } = open.get(handle);
    recentWrites.written(path);
    for (let written = 0; written < data.length;) {
      const position = offset + written;
      written += writeSync(descriptor, data, written, data.length - written, position);
    }
    done(request);
  });
  serve("EXTENDED", (request, name: string, data: Buffer) => {
    if (name !== flushExtension) return void sftp.status(request, status.OP_UNSUPPORTED);
    const { descriptor, path } = open.get(data.subarray(4));
    fsyncSync(descriptor);
    recentWrites.flushed(path);
    done(request);
  });
  serve("CLOSE", (request, handle: Buffer) => {
    open.close(handle);
    done(request);
  });
  serve("OPENDIR", async (request, path: string) => {
    sftp.handle(request, open.folder(await listed(await resolve(path))));
  });
  serve("READDIR", (request, handle: Buffer) => {
    const entries = open.get(handle).entries.splice(0, 100);
    if (entries.length === 0) sftp.status(request, status.EOF);
    else sftp.name(request, entries);
  });
  serve("FSTAT", (request, handle: Buffer) => {
    sftp.attrs(request, attributesOf(fstatSync(open.get(handle).descriptor)));
  });
  serve("FSETSTAT", done);
  for (const [name, read] of Object.entries({ STAT: stat, LSTAT: lstat })) {
    serve(name, async (request, path: string) => {
      sftp.attrs(request, attributesOf(await read(await resolve(path))));
    });
  }
  for (const [name, change] of Object.entries({ MKDIR: mkdir, RMDIR: rmdir, REMOVE: unlink })) {
    serve(name, async (request, path: string) => {
      await change(await resolve(path));
      done(request);
    });
  }
  serve("REALPATH", async (request, path: string) => {
    const filename = `/${(await drive.display(path, home)).replaceAll("\\", "/")}`;
    const attrs = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 };
    sftp.name(request, [{ filename, longname: filename, attrs }]);
  });
  sftp.on("error", (error: Error) => log(`sftp: ${error.message}`));
  sftp.on("end", () => endSftp(sftp));
  sftp.on("close", () => open.closeAll());
}

/** The status that answers an error. It never contains a Linux path. */
function problemOf(error: unknown): [code: number, message: string] {
  if (error instanceof AccessDeniedError) return [status.PERMISSION_DENIED, error.message];
  if (error instanceof WindowsPathError) return [status.NO_SUCH_FILE, error.message];
  if (error instanceof BadHandleError) return [status.FAILURE, "Invalid handle"];
  if (isMissing(error)) return [status.NO_SUCH_FILE, "No such file or directory"];
  const code = error instanceof Error && "code" in error ? String(error.code) : "Failure";
  return [/^(EACCES|EPERM)$/.test(code) ? status.PERMISSION_DENIED : status.FAILURE, code];
}

/** Internals of ssh2's SFTP stream, as of version 1.17. */
interface SftpInternals {
  readonly outgoing: { readonly id: number; readonly state: string };
  _protocol: {
    exitStatus(channel: number, status: number): void;
    channelData(channel: number, data: Buffer): void;
  };
}

/** Flushes a file to the disk: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL, section 4.5. */
const flushExtension = "fsync@openssh.com";

/** Adds version 1 of an extension to the first answer of a session, for which ssh2 has no API. */
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

/** Ends a session with exit status 0, as sftp-server does and scp expects. ssh2's SFTP stream has no API for it. */
function endSftp(sftp: SFTPWrapper): void {
  const { outgoing, _protocol: protocol } = sftp as unknown as SftpInternals;
  if (outgoing.state === "open") protocol.exitStatus(outgoing.id, 0);
  sftp.end();
}

/** A request that names no open file or folder. */
class BadHandleError extends Error {
  override readonly name = "BadHandleError";
}

/** An open file, or a folder with its entries that are not listed yet. */
interface Opened {
  readonly descriptor: number;
  readonly path: string;
  readonly entries: FileEntry[];
}

const none = -1;

/** Uses synchronous calls for files, for the reason given at findOnDrive in ../drive.ts. */
class OpenFiles {
  readonly #open = new Map<string, Opened>();
  #next = 1;

  file(path: string, flags: number): Buffer {
    // A file's other hard links are copies of it (../../windows/linux-files.ts), which must keep their content.
    const existing = statSync(path, { throwIfNoEntry: false });
    if ((openFlags(flags) & constants.O_TRUNC) !== 0 && existing?.isFile() && existing.nlink > 1) {
      unlinkSync(path);
    }
    const descriptor = openSync(path, openFlags(flags), 0o644);
    if (fstatSync(descriptor).isDirectory()) {
      closeSync(descriptor);
      throw new Error("is a folder");
    }
    return this.#add({ descriptor, path, entries: [] });
  }

  folder(entries: FileEntry[]): Buffer {
    return this.#add({ descriptor: none, path: "", entries });
  }

  get(handle: Buffer): Opened {
    const opened = this.#open.get(handle.toString("latin1"));
    if (opened === undefined) throw new BadHandleError();
    return opened;
  }

  close(handle: Buffer): void {
    const { descriptor } = this.get(handle);
    this.#open.delete(handle.toString("latin1"));
    if (descriptor !== none) closeSync(descriptor);
  }

  closeAll(): void {
    for (const key of this.#open.keys()) this.close(Buffer.from(key, "latin1"));
  }

  #add(opened: Opened): Buffer {
    const handle = Buffer.from(String(this.#next++));
    this.#open.set(handle.toString("latin1"), opened);
    return handle;
  }
}

async function listed(path: string): Promise<FileEntry[]> {
  const entries = (await readdir(path)).map(async (name) => {
    const stats = await stat(join(path, name)).catch(() => undefined); // a dangling link
    return stats ? [directoryEntry(name, stats)] : [];
  });
  return (await Promise.all(entries)).flat();
}

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

/** File attributes as Win32-OpenSSH's sftp-server shows them: one owner, permissions that mean nothing on NTFS. */
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

/** One entry of a listing. An SFTP client's `ls -l` prints the long name. */
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
