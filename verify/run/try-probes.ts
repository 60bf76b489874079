import { whyFailed } from "../diagnose/diagnose.ts";
import type { Probe, ProbeFailure } from "./probe.ts";
import { explained, type Outcome, type RowTools } from "./row-tools.ts";

/** Longest time from a row's pods being Ready to its connections working, in seconds: kube-proxy and DNS follow. */
const settleSeconds = 30;

/** Tries probes until all of them succeed, or the time is over. */
export async function tryProbes(
  id: string,
  probes: readonly Probe[],
  end: number,
  tools: RowTools,
): Promise<Outcome> {
  if (probes.length === 0) {
    // Nodes left the cluster meanwhile. An untried probe has not passed.
    return { status: "failed", reason: "there are no nodes left for it", tried: [], seen: "" };
  }
  tools.waitsFor(id, "its connections");
  const settled = Math.min(end, Date.now() + settleSeconds * 1000);
  const failures = await Promise.all(
    probes.map((probe) => lastFailure(probe, { settled, end }, tools)),
  );
  const failed = probes.flatMap((probe, index) => {
    const failure = failures[index];
    return failure === undefined ? [] : [{ probe, failure }];
  });
  const [first] = failed;
  if (first === undefined) {
    return { status: "passed", reason: "", tried: probes.map(tools.tried), seen: "" };
  }
  const reason = await explained(tools, (details) =>
    whyFailed(first.probe, first.failure, details),
  );
  const others = failed.length - 1;
  return {
    status: "failed",
    reason: others > 0 ? `${reason} (and ${others} more of ${probes.length} connections)` : reason,
    tried: [tools.tried(first.probe)],
    seen: first.failure.text,
  };
}

async function lastFailure(
  probe: Probe,
  { settled, end }: { readonly settled: number; readonly end: number },
  tools: RowTools,
): Promise<ProbeFailure | undefined> {
  for (let tries = 1; ; tries++) {
    const failure = judged(probe, await tools.slots.run(0, () => tools.attempt(probe)));
    // The first attempt may take longer than the settling time, so it never decides alone.
    const isOver = Date.now() >= (tries === 1 ? end : settled);
    if (failure === undefined || isOver || tools.signal.aborted) {
      return failure;
    }
    // A pause for other rows.
    await tools.view.look();
  }
}

/** A path that a policy denies is well where no connection is made, and then only. */
function judged({ policy }: Probe, failure: ProbeFailure | undefined): ProbeFailure | undefined {
  if (policy?.allows !== false) return failure;
  if (failure === undefined) return { kind: "answer", text: "the pod answered" };
  return ["lost", "refused", "unreachable"].includes(failure.kind) ? undefined : failure;
}
