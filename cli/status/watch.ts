import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "../../host/failure.ts";
import type { LabStatus } from "./report.ts";

/** Control sequences for moving the cursor and erasing: ECMA-48. */
const home = "\u001b[H";
const eraseScreen = "\u001b[2J";
const eraseRestOfLine = "\u001b[K";
const eraseBelow = "\u001b[J";

export interface Display {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

interface WatchOptions {
  /** Examines the lab once, in bounded time; undefined while the stack is not up. */
  readonly examine: () => Promise<LabStatus | undefined>;
  readonly report: (status: LabStatus | undefined) => string;
  readonly display: Display;
  /** Pause between two updates, which never overlap. */
  readonly intervalSeconds: number;
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

/**
 * Watches a lab until it is stopped. A terminal shows the report, redrawn each time; anything else gets a line with the time
 * for each change.
 */
export async function watch(options: WatchOptions): Promise<void> {
  const { examine, report, display, intervalSeconds, signal, now } = options;
  // An examination that is still running then is not waited for.
  const ended = once(signal, "abort").then(() => undefined);
  let facts: Facts = new Map();
  let trouble: string | undefined;
  for (let first = true; !signal.aborted; first = false) {
    let status: LabStatus | undefined;
    let failure: string | undefined;
    try {
      status = await Promise.race([examine(), ended]);
    } catch (error) {
      failure = messageOf(error);
    }
    if (signal.aborted) return;
    const time = now().toLocaleTimeString("en-GB");
    if (display.isTTY) {
      const shown = failure === undefined ? report(status) : `cannot examine the lab: ${failure}`;
      display.write(
        redraw(`${shown}\n\n${time}, every ${intervalSeconds} s; ^C ends`, display, first),
      );
    } else if (failure === undefined) {
      const seen = factsOf(status, facts);
      for (const line of changesBetween(facts, seen)) display.write(`${time} ${line}\n`);
      facts = seen;
    } else if (failure !== trouble) {
      display.write(`${time} cannot examine the lab: ${failure}\n`);
    }
    trouble = failure;
    await sleep(intervalSeconds * 1000, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Output that replaces the text on a terminal without flicker: nothing is erased before the new text is written. A text that
 * is too long is cut off at its end, so that its beginning does not scroll away.
 *
 * @param first whether this is the first text, before which the screen is cleared.
 */
function redraw(text: string, size: Pick<Display, "columns" | "rows">, first: boolean): string {
  const drawn = fitting(text.split("\n"), size).map((line) => `${line}${eraseRestOfLine}`);
  return `${first ? eraseScreen : ""}${home}${drawn.join("\n")}\n${eraseBelow}`;
}

function fitting(
  lines: readonly string[],
  size: Pick<Display, "columns" | "rows">,
): readonly string[] {
  // Some terminals report 0 if they do not know.
  const [columns, rows] = [size.columns || 80, size.rows || 24];
  // The last row stays empty, as a line break there would scroll.
  const room = Math.max(rows - 1, 1);
  const height = (line: string): number => Math.max(1, Math.ceil(line.length / columns));
  const total = lines.reduce((sum, line) => sum + height(line), 0);
  if (total <= room) return lines;
  let used = 1;
  const shown = lines.filter((line) => (used += height(line)) <= room);
  return [...shown, `... ${lines.length - shown.length} more lines: enlarge the window`];
}

interface Fact {
  /** Compared between two updates, without the reason, which may be worded differently each time. */
  readonly state: string;
  readonly text: string;
}

/** Facts about a lab, by subject, e.g. `node win-1`. */
type Facts = ReadonlyMap<string, Fact>;

/**
 * Facts from a status.
 *
 * @param status undefined while the stack is not up.
 * @param before earlier facts: what could not be queried this time counts as unchanged.
 */
function factsOf(status: LabStatus | undefined, before: Facts): Facts {
  const facts = new Map<string, Fact>();
  if (status === undefined) return facts.set("stack", fact("not up"));
  facts.set("stack", fact("up"));
  const keep = (prefix: string): void => {
    for (const [subject, known] of before) {
      if (subject.startsWith(prefix)) facts.set(subject, known);
    }
  };
  if (status.clusterTrouble === undefined) {
    facts.set("cluster", fact("answers"));
    for (const { name } of status.outputs.nodes) facts.set(`node ${name}`, fact("not joined"));
    for (const { name, ready, reason = "" } of status.nodes) {
      facts.set(`node ${name}`, fact(ready ? "Ready" : `not Ready: ${reason}`));
    }
  } else {
    facts.set("cluster", fact("does not answer", status.clusterTrouble));
    keep("node ");
  }
  if (status.machineTrouble === undefined) {
    for (const { name, state } of status.machines) facts.set(`machine ${name}`, fact(state));
  } else {
    facts.set("libvirt", fact("does not list its machines", status.machineTrouble));
    keep("machine ");
  }
  return facts;
}

/** The differences between two sets of facts, one line each. */
function changesBetween(before: Facts, after: Facts): readonly string[] {
  const now = [...after].flatMap(([subject, { state, text }]) =>
    before.get(subject)?.state === state ? [] : [`${subject}: ${text}`],
  );
  const gone = [...before.keys()].flatMap((subject) =>
    after.has(subject) ? [] : [subject === "libvirt" ? "libvirt: answers" : `${subject}: gone`],
  );
  return [...now, ...gone];
}

function fact(state: string, detail?: string): Fact {
  return { state, text: detail === undefined ? state : `${state}: ${detail}` };
}
