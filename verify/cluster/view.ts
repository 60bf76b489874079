import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "../../host/failure.ts";
import type { Snapshot } from "./snapshot.ts";

/** What one look at the cluster showed: its state, or why there is none. */
export type Seen = { readonly snapshot: Snapshot } | { readonly trouble: string };

/** One look at the cluster for all rows that wait, at most one a second, and none when nobody waits. */
export class ClusterView {
  private readonly read: () => Promise<Snapshot>;
  private readonly pauseMilliseconds: number;
  private next: Promise<Seen> | undefined;

  constructor(read: () => Promise<Snapshot>, pauseMilliseconds = 1000) {
    this.read = read;
    this.pauseMilliseconds = pauseMilliseconds;
  }

  /** The next look; who asks while one is under way gets the one after. */
  look(): Promise<Seen> {
    this.next ??= this.start();
    return this.next;
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
