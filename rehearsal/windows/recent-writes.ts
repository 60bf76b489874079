/**
 * What a script has written and not flushed is not on the disk yet: a power cut leaves half of it. Windows' lazy writer
 * would take some seconds; here only a flush counts.
 *
 * Source: https://learn.microsoft.com/windows/win32/fileio/file-caching.
 */
import fs from "node:fs";
import type { FileSystem } from "./file-streams.ts";

/** Files of the Linux file system. */
export class RecentWrites {
  readonly #files = new Set<string>();

  constructor(power: AbortSignal) {
    const tear = (): void => {
      for (const file of this.#files) {
        const status = fs.statSync(file, { throwIfNoEntry: false });
        if (status?.isFile()) fs.truncateSync(file, Math.floor(status.size / 2));
      }
    };
    power.addEventListener("abort", tear, { once: true });
  }

  written(file: string): void {
    this.#files.add(file);
  }

  flushed(file: string): void {
    this.#files.delete(file);
  }

  moved(from: string, to: string): void {
    if (this.#files.delete(from)) this.#files.add(to);
    else this.#files.delete(to);
  }

  allFlushed(): void {
    this.#files.clear();
  }
}

/** Reports writes, except for copies, which share their content with their source. */
export function withRecentWrites(disk: FileSystem, recent: RecentWrites): FileSystem {
  return {
    ...disk,
    async write(file, data) {
      await disk.write(file, data);
      recent.written(file);
    },
    async move(from, to) {
      await disk.move(from, to);
      recent.moved(from, to);
    },
    async replace(from, to) {
      await disk.replace(from, to);
      recent.moved(from, to);
    },
    async open(file, options) {
      const handle = await disk.open(file, options);
      const write = handle.write.bind(handle);
      const flush = handle.flush.bind(handle);
      return Object.assign(handle, {
        async write(data: Uint8Array) {
          await write(data);
          recent.written(file);
        },
        async flush() {
          await flush();
          recent.flushed(file);
        },
      });
    },
  };
}
