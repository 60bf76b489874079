import { messageOf } from "../host/failure.ts";

/**
 * Waits until all have ended, failed or not.
 *
 * @throws the reason of a failure; several are combined into one.
 */
export async function settleAll(running: Iterable<Promise<unknown>>): Promise<void> {
  const outcomes = await Promise.allSettled(running);
  const reasons = new Set(
    outcomes.filter((each) => each.status === "rejected").map((each) => each.reason as unknown),
  );
  if (reasons.size > 1) {
    throw new AggregateError(reasons, [...reasons].map(messageOf).join("\n"));
  }
  for (const reason of reasons) {
    throw reason;
  }
}
