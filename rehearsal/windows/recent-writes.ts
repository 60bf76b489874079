/**
 * What was written and not flushed is not on the disk yet: a power cut leaves half of it, and undoes the moves that nothing
 * was written after (NTFS keeps their order in its log). Windows' lazy writer would take some seconds; here only a flush
 * counts.
 *
 * Source: https://learn.microsoft.com/windows/win32/fileio/file-caching.
 */
import fs from "node:fs";

/** A file under its new name; `before` is what had the name. */
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

  /** Something else came to the disk: so have all moves before it. */
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
