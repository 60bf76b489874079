import { CommandFailed, runOverSsh } from "../../ssh/run-over-ssh.ts";
import { parseStepResult } from "../../components/windows/step-result.ts";
import type { StepResult } from "../../components/windows/step-result.ts";
import type { NodeMachine } from "../lab/lab-state.ts";

/**
 * Runs a step on a machine that has its scripts.
 *
 * @param input what it gets on its standard input; may be secret.
 * @throws with the step's own words where it failed by itself.
 */
export async function stepOverSsh(
  step: string,
  machine: NodeMachine,
  command: string,
  timeoutSeconds: number,
  input = "",
): Promise<StepResult> {
  let output: string;
  try {
    output = await runOverSsh(machine, command, timeoutSeconds, input);
  } catch (error) {
    if (!(error instanceof CommandFailed) || error.output.trim() === "") {
      throw error;
    }
    output = error.output;
  }
  return parseStepResult(step, machine.node, output);
}
