/**
 * What a power cut spoils: NTFS keeps its own books, but not what was written to a file and not flushed. In the guest the
 * Linux under the drive does that by itself.
 */
import fs from "node:fs";

export class UnflushedFiles {
  /** Files of the Linux file system. */
  readonly #files = new Set<string>();

  written(file: string): void {
    this.#files.add(file);
  }

  renamed(from: string, to: string): void {
    if (this.#files.delete(from)) {
      this.#files.add(to);
    } else {
      this.#files.delete(to);
    }
  }

  flushed(file: string): void {
    this.#files.delete(file);
  }

  flushedAll(): void {
    this.#files.clear();
  }

  /** The power goes: of each file as much is on the disk as its length, and zeros in place of the second half. */
  tear(): void {
    for (const file of this.#files) {
      const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0) {
        fs.truncateSync(file, Math.floor(size / 2));
        fs.truncateSync(file, size);
      }
    }
    this.#files.clear();
  }
}
