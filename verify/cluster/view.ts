import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "../../host/failure.ts";
import type { Snapshot } from "./snapshot.ts";

/** Result of querying the cluster: its state, or why there is none. */
export type Seen = { readonly snapshot: Snapshot } | { readonly trouble: string };

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
    try {
      return { snapshot: await this.read() };
    } catch (error) {
      return { trouble: messageOf(error) };
    }
  }
}
