import { access } from "node:fs/promises";

import { builtTool } from "../../toolchain/built.ts";
import { stateFile } from "../engine/folders.ts";
import { Failure, exitCodes } from "../failure.ts";
import { isHealthy, statusText } from "../status/report.ts";
import { lookAtLab } from "../status/look.ts";
import { knownStacks } from "../stack-settings.ts";

export interface StatusOptions {
  readonly stack: string;
  /** Print JSON instead of a table. */
  readonly json: boolean;
}

/**
 * `kindows status`: nodes, machines, and how to reach them.
 *
 * @returns exit code 0 when all nodes are Ready and all machines run, else 1.
 */
export async function status({ stack, json }: StatusOptions): Promise<number> {
  const known = await knownStacks();
  const exists = await access(stateFile(stack)).then(
    () => true,
    () => false,
  );
  const seen = exists || !known.includes(stack) ? await lookAtLab(stack) : undefined;
  if (seen === undefined) {
    throw new Failure(`the stack ${stack} is not up: \`kindows up --stack ${stack}\``);
  }
  if (json) {
    // Secrets lie in the access files, not here.
    const { outputs, ...rest } = seen;
    const { controlPlane, nodes } = outputs;
    const document = { ...rest, healthy: isHealthy(seen), controlPlane, machinesOfStack: nodes };
    process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
  } else {
    process.stdout.write(`${statusText(seen, builtTool("kubectl"))}\n`);
  }
  return isHealthy(seen) ? exitCodes.ok : exitCodes.failed;
}
