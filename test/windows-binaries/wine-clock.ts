import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { prefixFolder } from "../../rehearsal/wine/guest-root.ts";

/** Where libfaketime lies in Wine's root. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
/** File in the prefix by whose seconds the clock differs from this machine's. */
const fileName = "clock-offset";
/** How often libfaketime looks into it. */
const cacheSeconds = 1;

/**
 * The clock that Go's Windows programs see under one Wine server.
 *
 * Go asks nobody for the time: it reads the page of memory that Windows shares with every program, and under Wine the
 * server writes that page. So libfaketime stands before the server, not before the programs, where it would do nothing.
 * Time spans stay what they are, as when a machine's clock is set.
 */
export class WineClock {
  readonly #file: string;
  #offsetSeconds = 0;

  private constructor(file: string) {
    this.#file = file;
  }

  /** A clock that is right, for a server that has not been started yet. */
  static async create(prefix: string): Promise<WineClock> {
    const clock = new WineClock(join(prefix, fileName));
    await clock.#write();
    return clock;
  }

  /** Variables that the server is started with. */
  static readonly serverEnvironment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: join(prefixFolder, fileName),
    FAKETIME_CACHE_DURATION: String(cacheSeconds),
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    // Files keep the times they have.
    NO_FAKE_STAT: "1",
  } as const;

  now(): Date {
    return new Date(Date.now() + this.#offsetSeconds * 1000);
  }

  /** Sets it, to the second; returns when the server has seen that. */
  async set(time: Date): Promise<void> {
    this.#offsetSeconds = Math.round((time.getTime() - Date.now()) / 1000);
    await this.#write();
    await sleep(2 * cacheSeconds * 1000);
  }

  async #write(): Promise<void> {
    const sign = this.#offsetSeconds < 0 ? "" : "+";
    await writeFile(this.#file, `${sign}${String(this.#offsetSeconds)}\n`);
  }
}
