import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "../../../host/failure.ts";
import { SourceRefused } from "./lost-source.ts";

/** How long a source that does not answer is waited for. */
export interface Patience {
  /** Seconds from the moment it was lost on. */
  readonly waitSeconds: number;
  /** Seconds between two tries. */
  readonly pauseSeconds: number;
}

export interface PatientOptions extends Patience {
  /**
   * Follows the source until it is lost, which is an error, or there is no more of it.
   *
   * @param alive to be called whenever the source gives a sign of life.
   */
  readonly follow: (alive: () => void) => Promise<void>;
  /** Takes what there is to say about the source. */
  readonly tell: (text: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Milliseconds of a clock that only goes on. */
  readonly now?: () => number;
}

/** How following came to its end. */
export type Ending = "ended" | "given up";

/** Follows a source, and when it is lost, waits and tries again: for a bounded time each time. */
export async function patiently(options: PatientOptions): Promise<Ending> {
  const { follow, tell, signal, waitSeconds, pauseSeconds } = options;
  const now = options.now ?? (() => performance.now());
  let lost = 0;
  let silent = false;
  const alive = (): void => {
    if (silent) tell("answers again");
    silent = false;
  };
  while (!signal.aborted) {
    try {
      await follow(alive);
      return "ended";
    } catch (error) {
      // Whatever breaks when everything is being ended is no news.
      if (signal.aborted) break;
      const reason = firstLine(messageOf(error));
      if (error instanceof SourceRefused) {
        tell(`given up: ${reason}`);
        return "given up";
      }
      if (!silent) {
        lost = now();
        tell(`does not answer (${reason}); waits for it, for up to ${waitSeconds} s`);
      }
      silent = true;
      if (now() - lost >= waitSeconds * 1000) {
        tell(`given up after ${waitSeconds} s without an answer; the last try: ${reason}`);
        return "given up";
      }
      await sleep(pauseSeconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }
  return "ended";
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
