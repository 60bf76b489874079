/**
 * Writes that are not on the disk yet. A power cut truncates files that were not flushed to half their size, and undoes the
 * last moves if nothing was written after them, because NTFS logs them in order. Windows' lazy writer would flush after
 * some seconds; here only an explicit flush counts.
 *
 * Source: https://learn.microsoft.com/windows/win32/fileio/file-caching.
 */
import fs from "node:fs";

/** A rename. `before` is the content of the file that it replaced. */
interface Move {
  readonly from: string;
  readonly to: string;
  readonly before?: Buffer | undefined;
}

export class RecentWrites {
  readonly #files = new Set<string>();
  #moves: Move[] = [];

  constructor(power: AbortSignal) {
    const tear = (): void => {
      for (const file of this.#files) {
        const status = fs.statSync(file, { throwIfNoEntry: false });
        if (status?.isFile()) fs.truncateSync(file, Math.floor(status.size / 2));
      }
      for (const { from, to, before } of this.#moves.reverse()) {
        fs.renameSync(to, from);
        if (before !== undefined) fs.writeFileSync(to, before);
      }
    };
    power.addEventListener("abort", tear, { once: true });
  }

  written(...files: readonly string[]): void {
    for (const file of files) this.#files.add(file);
    this.movesFlushed();
  }

  flushed(file: string): void {
    this.#files.delete(file);
    this.movesFlushed();
  }

  /** Called after any other write, which means that all earlier moves are on the disk. */
  movesFlushed(): void {
    this.#moves = [];
  }

  moved(move: Move): void {
    const { from, to } = move;
    if (this.#files.delete(from)) this.#files.add(to);
    else this.#files.delete(to);
    this.#moves.push(move);
  }

  allFlushed(): void {
    this.#files.clear();
    this.movesFlushed();
  }
}
