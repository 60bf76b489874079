import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "../../host/failure.ts";
import type { Slots } from "../../toolchain/slots.ts";
import type { HostServer, internetPage } from "../cluster/outside.ts";
import type { Details, Snapshot } from "../cluster/snapshot.ts";
import type { Outcome } from "../result.ts";
import type { Printed, Probe, ProbeFailure, ShellCommand } from "./probe.ts";

/** Destinations outside the cluster. */
export interface Outside {
  readonly host?: Pick<HostServer, "url" | "greeting"> | undefined;
  readonly internet: Readonly<Record<keyof typeof internetPage, string>>;
}

/** Tools that all running rows share. */
export interface RowTools {
  readonly view: ClusterView;
  readonly details: () => Promise<Details>;
  readonly attempt: (probe: Probe) => Promise<ProbeFailure | undefined>;
  /** The command of a probe, for the report. */
  readonly tried: (probe: Probe) => string;
  readonly inPod: (pod: string, container: string, words: readonly string[]) => ShellCommand;
  readonly run: (command: ShellCommand) => Promise<Printed>;
  /** Creates the NetworkPolicies of all rows; later calls do nothing. */
  readonly isolate: () => Promise<void>;
  readonly get: (path: string) => Promise<unknown>;
  readonly outside: Outside;
  readonly slots: Slots;
  readonly signal: AbortSignal;
}

/** Tools of one running row. */
export interface RowRun extends RowTools {
  /** Time at which the row must have ended, in milliseconds like Date.now(). */
  readonly end: number;
  /** Whether containers on Windows nodes are simulated. */
  readonly rehearsal: boolean;
  /** Reports what the row waits for, whenever that may have changed. */
  readonly waitsFor: (what: string) => void;
}

export function passed(tried: readonly string[] = [], seen = ""): Outcome {
  return { status: "passed", reason: "", tried, seen };
}

export function failed(reason: string, seen = "", tried: readonly string[] = []): Outcome {
  return { status: "failed", reason, tried, seen };
}

/** Explains a failure by the cluster's current state. Does not throw. */
export async function explained(
  { details }: Pick<RowTools, "details">,
  explain: (details: Details) => string,
): Promise<string> {
  try {
    return explain(await details());
  } catch (error) {
    return `the cluster does not say why: ${messageOf(error)}`;
  }
}

/** The desired state of the cluster, or what it still lacks. */
export type Readiness<T, W> = { readonly ready: T } | { readonly awaited: W };

interface Wait<T, W> {
  readonly check: (snapshot: Snapshot) => Readiness<T, W>;
  readonly text: (awaited: W) => string;
  readonly why: (awaited: W, details: Details) => string;
}

/** Polls the cluster until it has the desired state, or the time is over. */
export async function awaitState<T, W>(
  run: RowRun,
  { check, text, why }: Wait<T, W>,
): Promise<{ readonly ready: T } | { readonly outcome: Outcome }> {
  for (;;) {
    const seen = await run.view.look();
    const late = Date.now() >= run.end || run.signal.aborted;
    if ("trouble" in seen) {
      const { trouble } = seen;
      if (late) return { outcome: failed(`the API server does not answer: ${trouble}`, trouble) };
      run.waitsFor("the API server");
      continue;
    }
    const readiness = check(seen.snapshot);
    if ("ready" in readiness) return readiness;
    const { awaited } = readiness;
    if (late) {
      const reason = await explained(run, (details) => why(awaited, details));
      return { outcome: failed(reason, `not Ready: ${text(awaited)}`) };
    }
    run.waitsFor(text(awaited));
  }
}

type Seen = { readonly snapshot: Snapshot } | { readonly trouble: string };

/** Queries the cluster for all waiting rows together, at most once a second, and only if a row is waiting. */
export class ClusterView {
  private next: Promise<Seen> | undefined;

  constructor(
    private readonly read: () => Promise<Snapshot>,
    private readonly pauseMilliseconds = 1000,
  ) {}

  /** The result of the next query that starts. */
  look(): Promise<Seen> {
    return (this.next ??= this.start());
  }

  private async start(): Promise<Seen> {
    await sleep(this.pauseMilliseconds);
    this.next = undefined;
    return this.read().then(
      (snapshot) => ({ snapshot }),
      (error: unknown) => ({ trouble: messageOf(error) }),
    );
  }
}
