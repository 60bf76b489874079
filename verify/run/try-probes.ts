import { whyFailed } from "../diagnose/diagnose.ts";
import { type FailureKind, lookupOf, type Probe, type ProbeFailure } from "./probe.ts";
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
  const all = await Promise.all(
    probes.map(async (probe) => ({ probe, tries: await triesOf(probe, { settled, end }, tools) })),
  );
  const failed = all.flatMap(({ probe, tries }) => {
    const failure = tries.at(-1)?.failure;
    return failure === undefined ? [] : [{ probe, tries, failure }];
  });
  const [first] = failed;
  if (first === undefined) {
    const [retried] = all.map(triesText).filter((text) => text !== "");
    return { status: "passed", reason: "", tried: probes.map(tools.tried), seen: retried ?? "" };
  }
  const reason = await explained(tools, (details) =>
    whyFailed(first.probe, first.failure, details),
  );
  const others = failed.length - 1;
  return {
    status: "failed",
    reason: others > 0 ? `${reason} (and ${others} more of ${probes.length} connections)` : reason,
    tried: [tools.tried(first.probe)],
    seen: [first.failure.text, triesText(first)].filter((text) => text !== "").join("; "),
  };
}

/** One attempt at a probe. */
interface Try {
  readonly seconds: number;
  readonly failure: ProbeFailure | undefined;
}

/** Attempts at a probe, until one succeeds or the time is over. */
async function triesOf(
  probe: Probe,
  { settled, end }: { readonly settled: number; readonly end: number },
  tools: RowTools,
): Promise<readonly Try[]> {
  // A lookup from an emulated node can take all the time of a row, and an answer can be late once.
  const firstEnd = looksUp(probe) ? Number.POSITIVE_INFINITY : end;
  const tries: Try[] = [];
  for (;;) {
    const one = await tools.slots.run(0, async (): Promise<Try> => {
      const started = performance.now();
      const failure = judged(probe, await tools.attempt(probe));
      return { seconds: (performance.now() - started) / 1000, failure };
    });
    tries.push(one);
    // The first attempt may take longer than the settling time, so it never decides alone.
    const isOver = Date.now() >= (tries.length === 1 ? firstEnd : settled);
    if (one.failure === undefined || isOver || tools.signal.aborted) return tries;
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

/** Whether a name is looked up, by a probe or before it. */
function looksUp(probe: Probe): boolean {
  return probe.named === true || lookupOf(probe) !== undefined;
}

/** How a try ended, for people. */
const ends: Readonly<Partial<Record<FailureKind, string>>> = {
  name: "not found",
  refused: "refused",
  lost: "no answer",
  unreachable: "no route",
  answer: "a wrong answer",
};

/**
 * How the first and the last try of a lookup went, and how long each took: a slow server answers late, a lost packet is not
 * answered at all. Empty if there was one try, or no name to look up.
 */
function triesText({
  probe,
  tries,
}: {
  readonly probe: Probe;
  readonly tries: readonly Try[];
}): string {
  if (tries.length < 2 || !looksUp(probe)) return "";
  return [1, tries.length]
    .map((number) => {
      const { seconds, failure } = tries[number - 1] ?? { seconds: 0, failure: undefined };
      const end = failure === undefined ? "answered" : (ends[failure.kind] ?? "not tried");
      return `try ${number}: ${end} after ${seconds.toFixed(1)} s`;
    })
    .join(", ");
}
