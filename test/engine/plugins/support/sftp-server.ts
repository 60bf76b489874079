import { type FileHandle, mkdir, open, stat } from "node:fs/promises";
import ssh2, { type Attributes, type SFTPWrapper } from "ssh2";
import { endSftp } from "../../../../rehearsal/host/ssh/sftp-server.ts";

const { STATUS_CODE, flagsToString } = ssh2.utils.sftp;

/** Serves the part of SFTP that uploads need, on the files of this machine. */
export function serveSftp(sftp: SFTPWrapper): void {
  const handles = new Map<number, FileHandle>();
  let next = 0;

  /** Gives what comes of some work as the answer to a request. */
  const answer = <Result>(id: number, work: Promise<Result>, give: (done: Result) => void): void =>
    void work.then(give, (error: NodeJS.ErrnoException) => {
      const { NO_SUCH_FILE, FAILURE } = STATUS_CODE;
      sftp.status(id, error.code === "ENOENT" ? NO_SUCH_FILE : FAILURE, error.message);
    });
  const status = (id: number, work: Promise<unknown>): void =>
    answer(id, work, () => sftp.status(id, STATUS_CODE.OK));
  const attributes = (id: number, work: ReturnType<typeof stat>): void =>
    answer(id, work, (found) => sftp.attrs(id, attributesOf(found)));
  const handleOf = (buffer: Buffer): FileHandle => {
    const handle = handles.get(buffer.readUInt32BE());
    if (handle === undefined) throw new Error("there is no such handle");
    return handle;
  };

  sftp.on("OPEN", (id, file, flags) => {
    answer(id, open(file, flagsToString(flags) ?? "r"), (opened) => {
      next += 1;
      handles.set(next, opened);
      const handle = Buffer.alloc(4);
      handle.writeUInt32BE(next);
      sftp.handle(id, handle);
    });
  });
  sftp.on("WRITE", (id, handle, offset, data) => {
    status(id, handleOf(handle).write(data, 0, data.length, offset));
  });
  sftp.on("CLOSE", (id, handle) => {
    status(id, handleOf(handle).close());
    handles.delete(handle.readUInt32BE());
  });
  sftp.on("FSTAT", (id, handle) => attributes(id, handleOf(handle).stat()));
  sftp.on("FSETSTAT", (id) => sftp.status(id, STATUS_CODE.OK));
  sftp.on("MKDIR", (id, folder) => status(id, mkdir(folder)));
  sftp.on("STAT", (id, file) => attributes(id, stat(file)));
  // Go's client, which the official plugin uses, waits for it.
  sftp.on("end", () => endSftp(sftp));
}

function attributesOf(found: Awaited<ReturnType<typeof stat>>): Attributes {
  return {
    mode: Number(found.mode),
    uid: Number(found.uid),
    gid: Number(found.gid),
    size: Number(found.size),
    atime: Math.trunc(Number(found.atimeMs) / 1000),
    mtime: Math.trunc(Number(found.mtimeMs) / 1000),
  };
}
