import { messageOf } from "../../components/controlplane/actions/cluster-api.ts";
import type { Facts } from "../cluster/facts.ts";
import type { RowResult } from "../result.ts";
import { needsOf, whyNot } from "../rows/runnable.ts";
import type { Row } from "../rows/row.ts";
import type { Outcome, RowTools } from "./row-tools.ts";
import { runPath } from "./run-path.ts";
import { runSample } from "./run-sample.ts";
import { Waiting } from "./waiting.ts";

/** Longest time for a row, in seconds, image pulls included. */
const defaultSeconds = 120;

/** The same for rows with Windows containers of their own: base images are large, and unpacked slowly. */
const windowsSeconds = 1200;

/** The same for rows with rehearsed Windows pods: nothing is pulled, but their kubelet runs on an emulated processor. */
const rehearsedSeconds = 300;

/** How long a row may take, in seconds, unless the user says. */
export function rowSeconds(row: Row, rehearsal: boolean): number {
  const containers = needsOf(row).some(
    ({ need }) => need === "windows-pods" || need === "windows-host-process",
  );
  const windows = containers || (row.kind === "sample" && row.os === "windows");
  if (!windows) return defaultSeconds;
  return rehearsal ? rehearsedSeconds : windowsSeconds;
}

/**
 * Runs rows side by side, each for its own time at most. Never fails: what went wrong is in the results.
 *
 * @param timeoutSeconds longest time for each; by default it depends on the row.
 */
export async function runRows(
  rows: readonly Row[],
  facts: Facts,
  tools: Omit<RowTools, "waitsFor" | "rehearsal">,
  options: { readonly timeoutSeconds?: number; readonly say: (line: string) => void },
): Promise<readonly RowResult[]> {
  const runnable = rows.filter((row) => whyNot(row, facts) === undefined);
  const waiting = new Waiting(runnable.length, options.say);
  const all: RowTools = {
    ...tools,
    rehearsal: facts.rehearsal,
    waitsFor: (id, what) => waiting.set(id, what),
  };
  try {
    return await Promise.all(
      rows.map(async (row): Promise<RowResult> => {
        const reason = whyNot(row, facts);
        if (reason !== undefined) {
          return { row, status: "not-runnable", reason, tried: [], seen: "", seconds: 0 };
        }
        const started = Date.now();
        const seconds = options.timeoutSeconds ?? rowSeconds(row, facts.rehearsal);
        const outcome = await runRow(row, started + seconds * 1000, all);
        waiting.end(row.id);
        return { row, ...outcome, seconds: (Date.now() - started) / 1000 };
      }),
    );
  } finally {
    waiting.stop();
  }
}

async function runRow(row: Row, end: number, tools: RowTools): Promise<Outcome> {
  try {
    return row.kind === "path" ? await runPath(row, end, tools) : await runSample(row, end, tools);
  } catch (error) {
    const reason = `the row could not be run to its end: ${messageOf(error)}`;
    return { status: "failed", reason, tried: [], seen: messageOf(error) };
  }
}
