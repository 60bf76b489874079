import { whyNotReady } from "../diagnose/diagnose.ts";
import { roleName } from "../objects/names.ts";
import { controlId, isUnderPolicy } from "../rows/policies.ts";
import { isNotSeenYet, notSeenYet, type PathRow, type Row } from "../rows/row.ts";
import { needsHostProcess, needsOf, whyNot } from "../rows/runnable.ts";
import { type AwaitedPod, planRow } from "./plan.ts";
import { explained, type Outcome, type RowTools, awaitState } from "./row-tools.ts";
import { tryProbes } from "./try-probes.ts";
import { messageOf } from "../../host/failure.ts";
import type { Facts } from "../cluster/facts.ts";
import type { RowResult } from "../result.ts";
import { runSample } from "./run-sample.ts";

/** What of a row is real in a rehearsal, and what is not. */
const underWine =
  "HostProcess under Wine: kubelet.exe started its pods and the connections were made; Windows and its network were not there";

/**
 * Waits for a path's pods, then tries its connections.
 *
 * @param end when it must have ended, in milliseconds as of Date.now().
 */
async function runPath(row: PathRow, end: number, tools: RowTools): Promise<Outcome> {
  const waited = await awaitState(
    row.id,
    end,
    tools,
    (snapshot) => planRow(row, snapshot, tools.outside),
    awaitedText,
  );
  if ("ready" in waited) {
    const outcome = await tryProbes(row.id, waited.ready, end, tools);
    if (outcome.status === "failed" && !tools.rehearsal && isNotSeenYet(row)) {
      return { ...outcome, reason: `${outcome.reason} (${notSeenYet})` };
    }
    return outcome.status === "passed" && tools.rehearsal && needsHostProcess(row)
      ? { ...outcome, status: "rehearsed", reason: underWine }
      : outcome;
  }
  if ("trouble" in waited) {
    const reason = `the API server does not answer: ${waited.trouble}`;
    return { status: "failed", reason, tried: [], seen: waited.trouble };
  }
  return {
    status: "failed",
    reason: await explained(tools, (details) => whyNotReady(waited.late, details)),
    tried: [],
    seen: `not Ready: ${awaitedText(waited.late)}`,
  };
}

function awaitedText(awaited: readonly AwaitedPod[]): string {
  return awaited.map(({ role, node }) => `${roleName(role)} on ${node}`).join(", ");
}

/** Seconds between two lines about what is waited for. */
const lineSeconds = 5;

/** Longest time for a row, in seconds, image pulls included. */
const defaultSeconds = 120;

/** The same for rows with Windows containers of their own: base images are large, and unpacked slowly. */
const windowsSeconds = 1200;

/** The same for rows with rehearsed Windows pods: nothing is pulled, but their kubelet runs on an emulated processor. */
const rehearsedSeconds = 300;

/** Default time limit of a row, in seconds. */
export function rowSeconds(row: Row, rehearsal: boolean): number {
  const containers = needsOf(row).some(
    ({ need }) => need === "windows-pods" || need === "windows-host-process",
  );
  const windows = containers || (row.kind === "sample" && row.os === "windows");
  if (!windows) return defaultSeconds;
  return rehearsal ? rehearsedSeconds : windowsSeconds;
}

/**
 * Runs rows in parallel, each with its own time limit. Never fails: problems are in the results. NetworkPolicies, and the
 * rows about them, come after all others, which they could disturb, and after their controls.
 *
 * @param timeoutSeconds longest time for each; by default it depends on the row.
 */
export async function runRows(
  rows: readonly Row[],
  facts: Facts,
  tools: Omit<RowTools, "waitsFor" | "rehearsal">,
  options: { readonly timeoutSeconds?: number | undefined; readonly say: (line: string) => void },
): Promise<readonly RowResult[]> {
  const runnable = rows.filter((row) => whyNot(row, facts) === undefined);
  const waiting = new Waiting(runnable.length, options.say);
  const all: RowTools = {
    ...tools,
    rehearsal: facts.rehearsal,
    waitsFor: (id, what) => waiting.set(id, what),
  };
  const run = async (row: Row, before?: Promise<readonly RowResult[]>): Promise<RowResult> => {
    const reason = whyNot(row, facts);
    if (reason !== undefined) {
      return { row, status: "not-runnable", reason, tried: [], seen: "", seconds: 0 };
    }
    const others = await before;
    const started = Date.now();
    const seconds = options.timeoutSeconds ?? rowSeconds(row, facts.rehearsal);
    const outcome = await runRow(row, started + seconds * 1000, all, others);
    waiting.end(row.id);
    return { row, ...outcome, seconds: (Date.now() - started) / 1000 };
  };
  const underPolicy = (row: Row): boolean => row.kind === "path" && isUnderPolicy(row);
  try {
    const before = new Map(rows.filter((row) => !underPolicy(row)).map((row) => [row, run(row)]));
    const others = Promise.all(before.values());
    return await Promise.all(rows.map((row) => before.get(row) ?? run(row, others)));
  } finally {
    waiting.stop();
  }
}

/** @param others results of the rows that had to come before. */
async function runRow(
  row: Row,
  end: number,
  tools: RowTools,
  others: readonly RowResult[] | undefined,
): Promise<Outcome> {
  try {
    if (others !== undefined) {
      const control = others.find((other) => other.row.id === controlId(row.id));
      if (control?.status !== "passed") {
        const reason = `it would show nothing: ${controlId(row.id)} has not passed`;
        return { status: "failed", reason, tried: [], seen: "" };
      }
      await tools.isolate();
    }
    return row.kind === "path" ? await runPath(row, end, tools) : await runSample(row, end, tools);
  } catch (error) {
    const reason = `the row could not be run to its end: ${messageOf(error)}`;
    return { status: "failed", reason, tried: [], seen: messageOf(error) };
  }
}

/** Prints what rows wait for, in one line every few seconds as long as it changes. */
class Waiting {
  private readonly rows = new Map<string, string>();
  private readonly timer: NodeJS.Timeout;
  private done = 0;
  private last = "";

  constructor(
    private readonly total: number,
    private readonly say: (line: string) => void,
  ) {
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
  const parts = [...new Set(waits)]
    .map((what) => [what, waits.filter((other) => other === what).length] as const)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 3)
    .map(([what, count]) => `${what} (${count} row${count === 1 ? "" : "s"})`);
  return `${done} of ${total} rows done; waiting for ${parts.join(", ") || "nothing"}`;
}
