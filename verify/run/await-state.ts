import type { Snapshot } from "../cluster/snapshot.ts";
import type { RowTools } from "./row-tools.ts";

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
