interface Waiter {
  readonly rank: number;
  readonly shares: string | undefined;
  readonly enter: () => void;
}

/** A semaphore with priorities: the waiter with the lowest rank gets the next free slot. */
export class Slots {
  private free: number;
  private readonly waiting: Waiter[] = [];
  private readonly shared = new Set<string>();

  constructor(count: number) {
    this.free = count;
  }

  /** @param shares work with the same value takes turns, and leaves the other slots to other work. */
  async run<T>(rank: number, work: () => Promise<T>, shares?: string): Promise<T> {
    await new Promise<void>((enter) => {
      this.waiting.push({ rank, shares, enter });
      this.fill();
    });
    try {
      return await work();
    } finally {
      this.free += 1;
      if (shares !== undefined) this.shared.delete(shares);
      this.fill();
    }
  }

  private fill(): void {
    this.waiting.sort((a, b) => a.rank - b.rank);
    for (const each of [...this.waiting]) {
      if (this.free === 0) return;
      if (each.shares !== undefined && this.shared.has(each.shares)) continue;
      this.waiting.splice(this.waiting.indexOf(each), 1);
      this.free -= 1;
      if (each.shares !== undefined) this.shared.add(each.shares);
      each.enter();
    }
  }
}
