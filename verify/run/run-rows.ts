import { messageOf } from "../../host/failure.ts";
import type { Facts } from "../cluster/facts.ts";
import { whyNotReady } from "../diagnose/diagnose.ts";
import { roleName } from "../objects/names.ts";
import type { Outcome, RowResult } from "../result.ts";
import { controlId, isUnderPolicy } from "../rows/policies.ts";
import { isNotSeenYet, notSeenYet, type PathRow, type Row } from "../rows/row.ts";
import { needsWindowsContainers, needsWindowsPods, usesWindows, whyNot } from "../rows/runnable.ts";
import { planRow } from "./plan.ts";
import { awaitState, failed, type RowRun, type RowTools } from "./row-tools.ts";
import { runSample } from "./run-sample.ts";
import { tryProbes } from "./try-probes.ts";

const underWine =
  "HostProcess under Wine: kubelet.exe started its pods and the connections were made; Windows and its network were not there";
const podsUnderWine =
  "pods under Wine: the node's own programs made their network and the connections were made, by Linux; Windows and its network were not there";

async function runPath(row: PathRow, run: RowRun): Promise<Outcome> {
  const waited = await awaitState(run, {
    check: (snapshot) => planRow(row, snapshot, run.outside),
    text: (pods) => pods.map(({ role, node }) => `${roleName(role)} on ${node}`).join(", "),
    why: whyNotReady,
  });
  if ("outcome" in waited) return waited.outcome;
  const outcome = await tryProbes(waited.ready, row, run);
  if (outcome.status === "failed" && !run.rehearsal && isNotSeenYet(row)) {
    return { ...outcome, reason: `${outcome.reason} (${notSeenYet})` };
  }
  if (outcome.status !== "passed" || !run.rehearsal || !usesWindows(row)) return outcome;
  const reason = needsWindowsPods(row) ? podsUnderWine : underWine;
  return { ...outcome, status: "rehearsed", reason };
}

/** Seconds between two progress lines. */
const lineSeconds = 5;

/** Default time limit of a row, in seconds, image pulls included. */
export function rowSeconds(row: Row, rehearsal: boolean): number {
  if (!needsWindowsContainers(row)) return 120;
  // Base images are large and unpack slowly. A rehearsal pulls nothing, but its kubelet runs on an emulated processor.
  return rehearsal ? 300 : 1200;
}

/**
 * Runs rows in parallel, each with its own time limit. Problems are in the results, not errors. NetworkPolicies are
 * created, and the rows about them run, after all other rows, because policies could disturb those.
 *
 * @param timeoutSeconds time limit for each row. Default: depends on the row.
 */
export async function runRows(
  rows: readonly Row[],
  facts: Facts,
  tools: RowTools,
  { timeoutSeconds, say }: { timeoutSeconds?: number | undefined; say: (line: string) => void },
): Promise<readonly RowResult[]> {
  const total = rows.filter((row) => whyNot(row, facts) === undefined).length;
  let done = 0;
  let last = "";
  const waiting = new Map<string, string>();
  const timer = setInterval(() => {
    const line = waitingText(done, total, [...waiting.values()]);
    if (line !== last) say(line);
    last = line;
  }, lineSeconds * 1000);
  const run = async (row: Row, before?: Promise<readonly RowResult[]>): Promise<RowResult> => {
    const reason = whyNot(row, facts);
    if (reason !== undefined) {
      return { row, status: "not-runnable", reason, tried: [], seen: "", seconds: 0 };
    }
    const others = await before;
    const started = Date.now();
    const end = started + (timeoutSeconds ?? rowSeconds(row, facts.rehearsal)) * 1000;
    const waitsFor = (what: string): void => void waiting.set(row.id, what);
    const outcome = await runRow(
      row,
      { ...tools, end, rehearsal: facts.rehearsal, waitsFor },
      others,
    );
    waiting.delete(row.id);
    done += 1;
    return { row, ...outcome, seconds: (Date.now() - started) / 1000 };
  };
  const underPolicy = (row: Row): boolean => row.kind === "path" && isUnderPolicy(row);
  try {
    const before = new Map(rows.filter((row) => !underPolicy(row)).map((row) => [row, run(row)]));
    const others = Promise.all(before.values());
    return await Promise.all(rows.map((row) => before.get(row) ?? run(row, others)));
  } finally {
    clearInterval(timer);
  }
}

/** @param others results of the rows that had to run before; undefined for rows without policies. */
async function runRow(
  row: Row,
  run: RowRun,
  others: readonly RowResult[] | undefined,
): Promise<Outcome> {
  try {
    if (others !== undefined) {
      const control = others.find((other) => other.row.id === controlId(row.id));
      if (control?.status !== "passed" && control?.status !== "rehearsed") {
        return failed(`it would prove nothing, because ${controlId(row.id)} has not passed`);
      }
      await run.isolate();
    }
    return row.kind === "path" ? await runPath(row, run) : await runSample(row, run);
  } catch (error) {
    return failed(`the row could not be completed: ${messageOf(error)}`, messageOf(error));
  }
}

/** A progress line: how many rows are done, and what most of the others wait for. */
export function waitingText(done: number, total: number, waits: readonly string[]): string {
  const parts = [...new Set(waits)]
    .map((what) => [what, waits.filter((other) => other === what).length] as const)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 3)
    .map(([what, count]) => `${what} (${count} row${count === 1 ? "" : "s"})`);
  return `${done} of ${total} rows done; waiting for ${parts.join(", ") || "nothing"}`;
}
