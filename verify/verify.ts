import { messageOf } from "../host/failure.ts";
import { namespace } from "./objects/names.ts";
import type { RowResult } from "./result.ts";
import { makeWorkloads, removeWorkloads, tryRows, type SessionOptions } from "./run/session.ts";

/** How a run ended. */
export interface VerifyEnd {
  /** Nothing where the run was interrupted. */
  readonly results?: readonly RowResult[];
  /** Why what was made could not be removed; nothing where it could, or was to stay. */
  readonly leftBehind?: string;
}

/**
 * Makes what the rows need, runs them, and removes it again, however that went.
 *
 * @param keep leave everything in place.
 * @throws when what the rows need could not be made.
 */
export async function verifyCluster(options: SessionOptions, keep: boolean): Promise<VerifyEnd> {
  let results: readonly RowResult[] | undefined;
  let leftBehind: string | undefined;
  try {
    await makeWorkloads(options);
    if (!options.signal.aborted) {
      const all = await tryRows(options);
      // Rows that were cut off show nothing.
      results = options.signal.aborted ? undefined : all;
    }
  } catch (error) {
    // ^C also ends the programs that were at work: that they failed is what was asked for.
    if (!options.signal.aborted) throw error;
  } finally {
    if (keep) {
      options.say(
        `kept: the namespace ${namespace}; \`kubectl delete namespace ${namespace}\` removes it, and the next run does`,
      );
    } else {
      leftBehind = await removeWorkloads(options).then(() => undefined, messageOf);
      if (leftBehind !== undefined) options.say(`not removed: ${leftBehind}`);
    }
  }
  return { ...(results && { results }), ...(leftBehind !== undefined && { leftBehind }) };
}
