import { parseStepResult, type StepResult } from "../../components/node/step-result.ts";
import { CommandFailed } from "../../host/ssh/run-over-ssh.ts";
import type { NodeMachine } from "../lab/lab-state.ts";

/** The result of a step that runs on a machine. @param running its standard output. */
export async function resultOf(
  step: string,
  { node }: NodeMachine,
  running: Promise<string>,
): Promise<StepResult> {
  const output = await running.catch((error: unknown) => {
    if (!(error instanceof CommandFailed) || error.output.trim() === "") throw error;
    return error.output;
  });
  return parseStepResult(step, node, output);
}
