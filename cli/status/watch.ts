import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "../failure.ts";
import { changesBetween, factsOf } from "./changes.ts";
import type { Facts } from "./changes.ts";
import type { LabStatus } from "./report.ts";
import { redraw } from "./screen.ts";

/** Where a watch is shown: standard output. */
export interface Display {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface WatchOptions {
  /** Looks once, and comes to an end by itself; nothing while the stack is not up. */
  readonly look: () => Promise<LabStatus | undefined>;
  /** The report of a look, as `kindows status` prints it. */
  readonly report: (status: LabStatus | undefined) => string;
  readonly display: Display;
  /** Pause between two looks; they never overlap. */
  readonly intervalSeconds: number;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

/**
 * Looks at a lab again and again until it is told to end. A terminal shows the report, drawn anew each time; anything
 * else gets a line with the time for each thing that has changed.
 */
export async function watch(options: WatchOptions): Promise<void> {
  const { look, report, display, intervalSeconds, signal, now } = options;
  let facts: Facts = new Map();
  let trouble: string | undefined;
  let first = true;
  while (!signal.aborted) {
    let status: LabStatus | undefined;
    let failure: string | undefined;
    try {
      status = await orEnd(look(), signal);
    } catch (error) {
      failure = messageOf(error);
    }
    if (signal.aborted) {
      return;
    }
    const time = clock(now());
    if (display.isTTY) {
      const shown = failure === undefined ? report(status) : `cannot look: ${failure}`;
      const footer = `${time}, every ${intervalSeconds} s; ^C ends`;
      // Some terminals say 0 for what they do not know.
      const size = { columns: display.columns || 80, rows: display.rows || 24 };
      display.write(redraw(`${shown}\n\n${footer}`, size, first));
    } else if (failure === undefined) {
      const seen = factsOf(status, facts);
      for (const line of changesBetween(facts, seen)) {
        display.write(`${time} ${line}\n`);
      }
      facts = seen;
    } else if (failure !== trouble) {
      display.write(`${time} cannot look: ${failure}\n`);
    }
    trouble = failure;
    first = false;
    await sleep(intervalSeconds * 1000, undefined, { signal }).catch(() => undefined);
  }
}

/** The end of a look, or of the watch if that comes first. */
async function orEnd<T>(looking: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  // Nobody waits for it any more when the watch has ended.
  looking.catch(() => undefined);
  const ended = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  return Promise.race([looking, ended]);
}

/** Time of day on this host, to the second. */
function clock(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}
