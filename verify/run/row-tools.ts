import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "../../host/failure.ts";
import type { Slots } from "../../toolchain/slots.ts";
import type { HostServer, internetPage } from "../cluster/outside.ts";
import type { Details, Snapshot } from "../cluster/snapshot.ts";
import type { Outcome } from "../result.ts";
import type { Printed, Probe, ProbeFailure, ShellCommand } from "./probe.ts";

/** Destinations outside of the cluster. */
export interface Outside {
  readonly host?: Pick<HostServer, "url" | "greeting"> | undefined;
  readonly internet: Readonly<Record<keyof typeof internetPage, string>>;
}

/** What running rows share. */
export interface RowTools {
  readonly view: ClusterView;
  readonly details: () => Promise<Details>;
  readonly attempt: (probe: Probe) => Promise<ProbeFailure | undefined>;
  readonly tried: (probe: Probe) => string;
  readonly inPod: (pod: string, container: string, words: readonly string[]) => ShellCommand;
  readonly run: (command: ShellCommand) => Promise<Printed>;
  /** Makes the rows' NetworkPolicies, once for all. */
  readonly isolate: () => Promise<void>;
  readonly get: (path: string) => Promise<unknown>;
  readonly outside: Outside;
  readonly slots: Slots;
  readonly signal: AbortSignal;
}

/** The same for one row that is run. */
export interface RowRun extends RowTools {
  /** When it must have ended, in milliseconds as of Date.now(). */
  readonly end: number;
  /** Whether containers on Windows nodes are modelled. */
  readonly rehearsal: boolean;
  /** Called with what it waits for, whenever that may have changed. */
  readonly waitsFor: (what: string) => void;
}

export function passed(tried: readonly string[] = [], seen = ""): Outcome {
  return { status: "passed", reason: "", tried, seen };
}

export function failed(reason: string, seen = "", tried: readonly string[] = []): Outcome {
  return { status: "failed", reason, tried, seen };
}

/** The reason, from the cluster's current state. Never fails itself. */
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

/** Whether the cluster's state is as wanted, or what is awaited. */
export type Readiness<T, W> = { readonly ready: T } | { readonly awaited: W };

interface Wait<T, W> {
  readonly check: (snapshot: Snapshot) => Readiness<T, W>;
  readonly text: (awaited: W) => string;
  readonly why: (awaited: W, details: Details) => string;
}

/** Polls the cluster until its state is as wanted, or the time is over. */
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

/** Queries the cluster once for all waiting rows, at most once a second, and only if a row is waiting. */
export class ClusterView {
  private next: Promise<Seen> | undefined;

  constructor(
    private readonly read: () => Promise<Snapshot>,
    private readonly pauseMilliseconds = 1000,
  ) {}

  /** The next query's result; during a running query, that of the one after. */
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
