import type { Deployment } from "../../cli/recovery/deployment.ts";
import { resourcesOf } from "../../cli/recovery/deployment.ts";

/** What a step said of itself in the last line of its output, as far as it matters here. */
export interface StepResult {
  readonly step: string;
  /** Whether it found anything to do. */
  readonly changed: boolean;
  /** What it took by itself: without the dialling, the waiting for others, and the engine. */
  readonly seconds: number;
}

/** The results of one node's steps, in the order of the state, by step. */
export function stepResultsOf(
  node: string,
  deployment: Deployment,
): ReadonlyMap<string, StepResult> {
  const results = new Map<string, StepResult>();
  for (const { type, urn, outputs } of resourcesOf(deployment)) {
    const name = urn.slice(urn.lastIndexOf("::") + 2);
    const stdout = outputs?.["stdout"];
    if (
      type === "command:remote:Command" &&
      name.startsWith(`${node}-`) &&
      typeof stdout === "string"
    ) {
      const result = lastLine(stdout);
      if (result !== undefined) {
        results.set(result.step, result);
      }
    }
  }
  return results;
}

function lastLine(stdout: string): StepResult | undefined {
  try {
    const value = JSON.parse(stdout.trimEnd().split(/\r?\n/).at(-1) ?? "") as Partial<
      Record<keyof StepResult, unknown>
    >;
    const { step, changed, seconds } = value;
    return typeof step === "string" && typeof changed === "boolean" && typeof seconds === "number"
      ? { step, changed, seconds }
      : undefined;
  } catch {
    return undefined;
  }
}
