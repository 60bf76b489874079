import { messageOf } from "../host/failure.ts";
import { namespace } from "./objects/names.ts";
import type { RowResult } from "./result.ts";
import { makeWorkloads, removeWorkloads, tryRows, type SessionOptions } from "./run/session.ts";

/** Result of a run. */
export interface VerifyEnd {
  /** Undefined if the run was interrupted. */
  readonly results?: readonly RowResult[];
  /** Why the cleanup failed, if it did. */
  readonly leftBehind?: string;
}

/**
 * Creates what the rows need, runs them, and cleans up, however that ended.
 *
 * @param keep leave everything in place.
 * @throws if what the rows need could not be created.
 */
export async function verifyCluster(options: SessionOptions, keep: boolean): Promise<VerifyEnd> {
  let results: readonly RowResult[] | undefined;
  let leftBehind: string | undefined;
  try {
    await makeWorkloads(options);
    if (!options.signal.aborted) {
      const all = await tryRows(options);
      // Interrupted rows prove nothing.
      results = options.signal.aborted ? undefined : all;
    }
  } catch (error) {
    // ^C also ends running programs: their failures are expected.
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
