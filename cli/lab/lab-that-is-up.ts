import { access } from "node:fs/promises";

import { stateFile } from "../engine/folders.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { Failure } from "../../host/failure.ts";
import { labIdentity } from "../stack-settings.ts";
import { writeAccessFiles } from "./access.ts";
import type { AccessFiles } from "./access.ts";
import { labOutputs } from "./outputs.ts";
import type { LabOutputs } from "./outputs.ts";

/** A lab that is up, and how to reach it. */
export interface UpLab {
  /** The lab's name, `kindows-<lab>`. */
  readonly lab: string;
  readonly outputs: LabOutputs;
  readonly access: AccessFiles;
}

/**
 * Outputs of a stack's lab; writes its access files anew.
 *
 * @throws Failure when the stack does not exist, or is not up.
 */
export async function labThatIsUp(stack: string): Promise<UpLab> {
  const { names } = await labIdentity(stack);
  const exists = await access(stateFile(stack)).then(
    () => true,
    () => false,
  );
  const outputs = exists ? await labOutputs(enginePulumi(stack, names.prefix)) : undefined;
  if (outputs === undefined) {
    throw new Failure(`the stack ${stack} is not up: \`kindows up --stack ${stack}\``);
  }
  return { lab: names.prefix, outputs, access: await writeAccessFiles(stack, outputs) };
}
