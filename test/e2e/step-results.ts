import * as z from "zod";
import { type Deployment, resourcesOf } from "../../cli/engine/deployment.ts";
import { parseJson } from "../../toolchain/parse-json.ts";

const resultSchema = z.object({
  step: z.string(),
  /** Whether it found anything to do. */
  changed: z.boolean(),
  /** What it took by itself: without the dialling, the waiting for others, and the engine. */
  seconds: z.number(),
});

/** What a step said of itself in the last line of its output, as far as it matters here. */
export type StepResult = z.infer<typeof resultSchema>;

/** The results of one node's steps, in the order of the state, by step. */
export function stepResultsOf(
  node: string,
  deployment: Deployment,
): ReadonlyMap<string, StepResult> {
  const results = resourcesOf(deployment)
    .filter(({ type, urn }) => type === "command:remote:Command" && urn.includes(`::${node}-`))
    .map(({ outputs }) => String(outputs?.["stdout"]).trimEnd().split(/\r?\n/).at(-1) ?? "")
    .flatMap((line) => resultSchema.safeParse(parseJson(line)).data ?? []);
  return new Map(results.map((result) => [result.step, result]));
}
