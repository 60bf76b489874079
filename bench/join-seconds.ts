import type { Deployment } from "../cli/recovery/deployment.ts";
import { resourcesOf } from "../cli/recovery/deployment.ts";

/**
 * What the steps of one node took by themselves, as each reported in the last line of its output: without the dialling,
 * the waiting for others, and the engine.
 */
export function stepSecondsOf(node: string, deployment: Deployment): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>();
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
        seconds.set(result.step, result.seconds);
      }
    }
  }
  return seconds;
}

function lastLine(stdout: string): { readonly step: string; readonly seconds: number } | undefined {
  try {
    const value = JSON.parse(stdout.trimEnd().split(/\r?\n/).at(-1) ?? "") as {
      step?: unknown;
      seconds?: unknown;
    };
    return typeof value.step === "string" && typeof value.seconds === "number"
      ? { step: value.step, seconds: value.seconds }
      : undefined;
  } catch {
    return undefined;
  }
}
