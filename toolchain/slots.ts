/** A semaphore with priorities: the waiter with the lowest rank gets the next free slot. */
export class Slots {
  private free: number;
  private readonly waiting: { readonly rank: number; readonly enter: () => void }[] = [];

  constructor(count: number) {
    this.free = count;
  }

  async run<T>(rank: number, work: () => Promise<T>): Promise<T> {
    if (this.free > 0) {
      this.free -= 1;
    } else {
      await new Promise<void>((enter) => this.waiting.push({ rank, enter }));
    }
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  private release(): void {
    this.waiting.sort((a, b) => a.rank - b.rank);
    const next = this.waiting.shift();
    if (next === undefined) {
      this.free += 1;
    } else {
      next.enter();
    }
  }
}
