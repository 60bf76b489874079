/**
 * What Windows has not yet written to the disk: its lazy writer takes some seconds, and a power cut in them leaves half.
 *
 * Source: https://learn.microsoft.com/windows/win32/fileio/file-caching.
 */
import fs from "node:fs";
import type { Files } from "../../powershell/host.ts";

/** Seconds after which the lazy writer has written. */
export const lazySeconds = 5;

/** Files of the Linux file system that were written a short time ago. */
export class RecentWrites {
  readonly #at = new Map<string, number>();

  /** @param milliseconds what the lazy writer takes. */
  constructor(power: AbortSignal, milliseconds: number) {
    const tear = (): void => {
      for (const [file, at] of this.#at) {
        const status = fs.statSync(file, { throwIfNoEntry: false });
        if (status?.isFile() && Date.now() - at < milliseconds) {
          fs.truncateSync(file, Math.floor(status.size / 2));
        }
      }
    };
    power.addEventListener("abort", tear, { once: true });
  }

  written(file: string): void {
    this.#at.set(file, Date.now());
  }

  flushed(file: string): void {
    this.#at.delete(file);
  }

  moved(from: string, to: string): void {
    const at = this.#at.get(from);
    this.#at.delete(from);
    if (at === undefined) this.#at.delete(to);
    else this.#at.set(to, at);
  }

  allFlushed(): void {
    this.#at.clear();
  }
}

/** Tells what is written. Copies are not told of: they share their content with the file they are of. */
export function withRecentWrites(disk: Files, recent: RecentWrites): Files {
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
