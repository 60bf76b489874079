import { whyNotReady } from "../diagnose/diagnose.ts";
import { roleName } from "../objects/names.ts";
import { isNotSeenYet, notSeenYet, type PathRow } from "../rows/row.ts";
import { needsHostProcess } from "../rows/runnable.ts";
import { awaitState } from "./await-state.ts";
import { planRow, type AwaitedPod } from "./plan.ts";
import { explained, type Outcome, type RowTools } from "./row-tools.ts";
import { tryProbes } from "./try-probes.ts";

/** What is real about a row in a rehearsal, and what is not. */
const underWine =
  "HostProcess under Wine: kubelet.exe started its pods and the connections were made; Windows and its network were not there";

/**
 * Waits for a path's pods, then tries its connections.
 *
 * @param end when it must have ended, in milliseconds as of Date.now().
 */
export async function runPath(row: PathRow, end: number, tools: RowTools): Promise<Outcome> {
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
