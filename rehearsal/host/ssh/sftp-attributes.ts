import type { Stats } from "node:fs";
import type { Attributes, FileEntry } from "ssh2";

/** A file's attributes as Win32-OpenSSH's sftp-server shows them: one owner, rights that mean nothing on NTFS. */
export function attributesOf(stats: Stats): Attributes {
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
export function directoryEntry(name: string, stats: Stats): FileEntry {
  const rights = stats.isDirectory() ? "drwxrwxrwx" : "-rw-rw-rw-";
  const size = String(stats.size).padStart(10);
  const time = stats.mtime.toISOString().slice(0, 16).replace("T", " ");
  return {
    filename: name,
    longname: `${rights}    1 -        -        ${size} ${time} ${name}`,
    attrs: attributesOf(stats),
  };
}
