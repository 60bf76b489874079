import { messageOf } from "../../host/failure.ts";
import type { Slots } from "../../toolchain/slots.ts";
import type { Details, Snapshot } from "../cluster/snapshot.ts";
import type { ClusterView } from "../cluster/view.ts";
import type { Printed, ShellCommand } from "./shell-command.ts";
import type { Outside, Probe, ProbeFailure } from "./probe.ts";

/** What running rows share. */
export interface RowTools {
  readonly view: ClusterView;
  readonly details: () => Promise<Details>;
  readonly attempt: (probe: Probe) => Promise<ProbeFailure | undefined>;
  /** A probe's command, for repeating it. */
  readonly tried: (probe: Probe) => string;
  /** The command that runs words in a container of a pod. */
  readonly inPod: (pod: string, container: string, words: readonly string[]) => ShellCommand;
  readonly run: (command: ShellCommand) => Promise<Printed>;
  /** Makes the rows' NetworkPolicies, once for all. */
  readonly isolate: () => Promise<void>;
  /** A path of the API server. */
  readonly get: (path: string) => Promise<unknown>;
  readonly outside: Outside;
  /** Whether containers on Windows nodes are modelled. */
  readonly rehearsal: boolean;
  /** Slots for parallel commands. */
  readonly slots: Slots;
  readonly signal: AbortSignal;
  /** Called with what a row waits for, whenever that may have changed. */
  readonly waitsFor: (id: string, what: string) => void;
}

/** Result of a row that was run. */
export interface Outcome {
  readonly status: "passed" | "failed" | "rehearsed";
  readonly reason: string;
  readonly tried: readonly string[];
  readonly seen: string;
}

/** The reason, from the cluster's current state. Never fails itself. */
export async function explained(
  tools: Pick<RowTools, "details">,
  explain: (details: Details) => string,
): Promise<string> {
  try {
    return explain(await tools.details());
  } catch (error) {
    return `the cluster does not say why: ${messageOf(error)}`;
  }
}

/** Whether the cluster's state is as wanted, or what is awaited. */
export type Readiness<T, W> = { readonly ready: T } | { readonly awaited: W };

/** Result of a wait. */
export type Awaited<T, W> =
  { readonly ready: T } | { readonly late: W } | { readonly trouble: string };

/**
 * Polls the cluster until its state is as wanted, or the time is over.
 *
 * @param id row that waits.
 * @param end in milliseconds, as of Date.now().
 */
export async function awaitState<T, W>(
  id: string,
  end: number,
  tools: Pick<RowTools, "view" | "signal" | "waitsFor">,
  check: (snapshot: Snapshot) => Readiness<T, W>,
  text: (awaited: W) => string,
): Promise<Awaited<T, W>> {
  for (;;) {
    const seen = await tools.view.look();
    const late = Date.now() >= end || tools.signal.aborted;
    if ("trouble" in seen) {
      if (late) return seen;
      tools.waitsFor(id, "the API server");
      continue;
    }
    const readiness = check(seen.snapshot);
    if ("ready" in readiness) return readiness;
    if (late) return { late: readiness.awaited };
    tools.waitsFor(id, text(readiness.awaited));
  }
}
