import { RunError } from "@pulumi/pulumi/errors.js";
import * as z from "zod";
import { parseJson } from "../../toolchain/parse-json.ts";

const resultSchema = z.strictObject({
  step: z.string(),
  changed: z.boolean(),
  rebootRequired: z.boolean(),
  seconds: z.number(),
  facts: z.record(z.string(), z.unknown()),
});

const failureSchema = z.strictObject({
  step: z.string(),
  error: z.strictObject({ code: z.string(), message: z.string(), remedy: z.string() }),
});

/** The result of a step script: the last line of its standard output. */
export type StepResult = z.infer<typeof resultSchema>;

/**
 * Parses a step's result from the last line of its standard output. The lines before it are for people.
 *
 * @param host computer name, for errors.
 * @throws RunError, which Pulumi prints without a stack trace, if the step failed or the last line is not its result.
 * The error has the step's message and remedy, or the unexpected line.
 */
export function parseStepResult(step: string, host: string, stdout: string): StepResult {
  const last = lastLine(stdout);
  const value = parseJson(last);

  const failure = failureSchema.safeParse(value);
  if (failure.success) {
    const { code, message, remedy } = failure.data.error;
    throw new RunError(`${step} on ${host} failed (${code}): ${message} ${remedy}`);
  }
  const result = resultSchema.safeParse(value);
  if (!result.success) {
    const seen = last === "" ? "nothing" : `'${last.slice(0, 200)}'`;
    throw new RunError(
      `${step} on ${host} ended without a result: the last line of its output is ${seen}. ` +
        `Log in to ${host} and run the script there to see what it does.`,
    );
  }
  if (result.data.step !== step) {
    throw new RunError(
      `${step} on ${host}: the result is from ${result.data.step}. ` +
        `Two runs may have used the machine at the same time; run again.`,
    );
  }
  return result.data;
}

/** The facts in a step's output; none if it has no result. */
export function stepFacts(stdout: string): StepResult["facts"] {
  return resultSchema.safeParse(parseJson(lastLine(stdout))).data?.facts ?? {};
}

function lastLine(stdout: string): string {
  return stdout.trimEnd().split(/\r?\n/).at(-1) ?? "";
}

/** The error code that a step has written, found in mixed output; undefined if there is none. */
export function stepErrorCode(output: string): string | undefined {
  return output
    .slice(-longestTail)
    .split(/\r?\n/)
    .flatMap((line) =>
      /^\s*\{/.test(line) ? (failureSchema.safeParse(parseJson(line)).data?.error.code ?? []) : [],
    )
    .at(-1);
}

/** The end of an output in which a step's failure is looked for, in characters. It is the last line of one. */
const longestTail = 64 * 1024;

/**
 * Returns a fact that must be text.
 *
 * @throws RunError, which Pulumi prints without a stack trace, if the result lacks the fact or it is not text.
 */
export function textFact(result: StepResult, name: string): string {
  const value = result.facts[name];
  if (typeof value !== "string") {
    throw new RunError(
      `${result.step} reported no ${name}: its script and this program differ; run again.`,
    );
  }
  return value;
}
