import { whyFailed } from "../diagnose/diagnose.ts";
import type { Outcome } from "../result.ts";
import type { Row } from "../rows/row.ts";
import { usesWindows } from "../rows/runnable.ts";
import {
  type FailureKind,
  lookupOf,
  type PlannedProbe,
  type Probe,
  type ProbeFailure,
} from "./probe.ts";
import { explained, failed, passed, type RowRun } from "./row-tools.ts";

/** Longest times of a row's connections, in seconds. */
interface ConnectionLimits {
  readonly requestSeconds: number;
  /** From Ready pods to working connections, because kube-proxy and DNS have to follow. */
  readonly settleSeconds: number;
}

/**
 * An emulated processor is shared by all commands and answers on that node, and with whatever else its host does, so it may
 * answer late.
 */
function connectionLimits(row: Row, rehearsal: boolean): ConnectionLimits {
  return rehearsal && usesWindows(row)
    ? { requestSeconds: 15, settleSeconds: 120 }
    : { requestSeconds: 4, settleSeconds: 30 };
}

/** Tries probes until all of them succeed, or the time is over. */
export async function tryProbes(
  planned: readonly PlannedProbe[],
  row: Row,
  run: RowRun,
): Promise<Outcome> {
  // The nodes have left the cluster in the meantime. A row without probes has not passed.
  if (planned.length === 0) return failed("there are no nodes left for it");
  const { requestSeconds, settleSeconds } = connectionLimits(row, run.rehearsal);
  const probes = planned.map((probe): Probe => ({ ...probe, requestSeconds }));
  run.waitsFor("its connections");
  const settled = Math.min(run.end, Date.now() + settleSeconds * 1000);
  const all = await Promise.all(
    probes.map(async (probe) => ({ probe, tries: await triesOf(probe, settled, run) })),
  );
  const broken = all.flatMap(({ probe, tries }) => {
    const failure = tries.at(-1)?.failure;
    return failure === undefined ? [] : [{ probe, tries, failure }];
  });
  const [first] = broken;
  if (first === undefined) {
    const retried = all.map(triesText).find((text) => text !== "");
    return passed(probes.map(run.tried), retried);
  }
  const { probe, failure } = first;
  const reason = await explained(run, (details) => whyFailed(probe, failure, details));
  const others = broken.length - 1;
  return failed(
    others > 0 ? `${reason} (and ${others} more of ${probes.length} connections)` : reason,
    [failure.text, triesText(first)].filter((text) => text !== "").join("; "),
    [run.tried(probe)],
  );
}

interface Try {
  readonly seconds: number;
  readonly failure: ProbeFailure | undefined;
}

async function triesOf(probe: Probe, settled: number, run: RowRun): Promise<readonly Try[]> {
  const tries: Try[] = [];
  for (;;) {
    const one = await run.slots.run(0, async (): Promise<Try> => {
      const started = performance.now();
      const failure = judged(probe, await run.attempt(probe));
      return { seconds: (performance.now() - started) / 1000, failure };
    });
    tries.push(one);
    // The first attempt may take longer than the settling time, so it alone does not decide. A lookup from an emulated
    // node can take the whole time of a row, and a single answer can be late.
    const firstEnd = looksUp(probe) ? Number.POSITIVE_INFINITY : run.end;
    const isOver = Date.now() >= (tries.length === 1 ? firstEnd : settled);
    if (one.failure === undefined || isOver || run.signal.aborted) return tries;
    // Pauses, so that other rows get a turn.
    await run.view.look();
  }
}

/** For a path that a policy denies, succeeds only if no connection is made. */
function judged({ policy }: Probe, failure: ProbeFailure | undefined): ProbeFailure | undefined {
  if (policy?.allows !== false) return failure;
  if (failure === undefined) return { kind: "answer", text: "the pod answered" };
  return ["lost", "refused", "unreachable"].includes(failure.kind) ? undefined : failure;
}

/** Whether a probe is a lookup, or has to resolve a name first. */
function looksUp(probe: Probe): boolean {
  return probe.named === true || lookupOf(probe) !== undefined;
}

const ends: Readonly<Partial<Record<FailureKind, string>>> = {
  name: "not found",
  refused: "refused",
  lost: "no answer",
  unreachable: "no route",
  answer: "a wrong answer",
};

/**
 * Result and duration of the first and the last try of a lookup, which distinguish a slow server from lost packets.
 * Empty if there was only one try, or no name to look up.
 */
function triesText(tried: { readonly probe: Probe; readonly tries: readonly Try[] }): string {
  const { probe, tries } = tried;
  const [first, last] = [tries[0], tries.at(-1)];
  if (first === undefined || last === undefined || first === last || !looksUp(probe)) return "";
  const text = (number: number, { seconds, failure }: Try): string => {
    const end = failure === undefined ? "answered" : (ends[failure.kind] ?? "not tried");
    return `try ${number}: ${end} after ${seconds.toFixed(1)} s`;
  };
  return `${text(1, first)}, ${text(tries.length, last)}`;
}
