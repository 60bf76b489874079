/** Seconds between two lines about what is waited for. */
const lineSeconds = 5;

/** What rows wait for, told in one line every few seconds as long as it changes. */
export class Waiting {
  private readonly rows = new Map<string, string>();
  private readonly say: (line: string) => void;
  private readonly total: number;
  private readonly timer: NodeJS.Timeout;
  private done = 0;
  private last = "";

  constructor(total: number, say: (line: string) => void) {
    this.total = total;
    this.say = say;
    this.timer = setInterval(() => this.tell(), lineSeconds * 1000);
  }

  /** A row waits for something, from now on. */
  set(id: string, what: string): void {
    this.rows.set(id, what);
  }

  /** A row has ended. */
  end(id: string): void {
    this.rows.delete(id);
    this.done += 1;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tell(): void {
    const line = waitingText(this.done, this.total, [...this.rows.values()]);
    if (line !== this.last) {
      this.last = line;
      this.say(line);
    }
  }
}

/** How many rows are done, and what the others wait for, the most frequent first. */
export function waitingText(done: number, total: number, waits: readonly string[]): string {
  const counted = new Map<string, number>();
  for (const what of waits) {
    counted.set(what, (counted.get(what) ?? 0) + 1);
  }
  const parts = [...counted]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 3)
    .map(([what, count]) => `${what} (${count} row${count === 1 ? "" : "s"})`);
  return `${done} of ${total} rows done; waiting for ${parts.join(", ") || "nothing"}`;
}
