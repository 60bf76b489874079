/** Windows' mutexes with names, which all processes of a machine share. */
import { setTimeout as sleep } from "node:timers/promises";

export class NamedMutexes {
  /** Resolves when all who came so far have left, by name. */
  readonly #last = new Map<string, Promise<void>>();
  readonly #leave = new Map<string, () => void>();

  /** Waits for those before, so many milliseconds at most. */
  async enter(name: string, milliseconds: number): Promise<"entered" | "busy"> {
    const before = this.#last.get(name) ?? Promise.resolve();
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last.set(
      name,
      before.then(() => left),
    );
    const late = new AbortController();
    const entered = await Promise.race([
      before.then(() => true),
      sleep(milliseconds, false, { signal: late.signal }).catch(() => false),
    ]);
    late.abort();
    if (!entered) {
      leave();
      return "busy";
    }
    this.#leave.set(name, leave);
    return "entered";
  }

  leave(name: string): void {
    this.#leave.get(name)?.();
    this.#leave.delete(name);
  }

  /** Resolves when nobody has any, or waits for one. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
