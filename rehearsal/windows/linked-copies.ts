/** Copies of files that take no room: programs are large, and emulated disks slow. */
import fs from "node:fs";
import type { FileSystem } from "./file-streams.ts";

/** A copy is a second name of the same file, until somebody writes to either. */
export function withLinkedCopies(disk: FileSystem): FileSystem {
  /** Gives a file that has several names one of its own under this name. */
  const part = (file: string): void => {
    const status = fs.statSync(file, { throwIfNoEntry: false });
    if (status?.isFile() && status.nlink > 1) {
      fs.copyFileSync(file, `${file}.own`);
      fs.utimesSync(`${file}.own`, status.atime, status.mtime);
      fs.renameSync(`${file}.own`, file);
    }
  };
  return {
    ...disk,
    write(file, data) {
      part(file);
      return disk.write(file, data);
    },
    setModified(file, moment) {
      part(file);
      return disk.setModified(file, moment);
    },
    copy(from, to) {
      if (!fs.statSync(from, { throwIfNoEntry: false })?.isFile()) return disk.copy(from, to);
      try {
        fs.linkSync(from, `${to}.own`);
      } catch {
        return disk.copy(from, to);
      }
      // Of two names of one file, renaming the one to the other would leave both.
      fs.rmSync(to, { force: true });
      fs.renameSync(`${to}.own`, to);
    },
    open(file, options) {
      if (options.access !== "Read") part(file);
      return disk.open(file, options);
    },
  };
}
