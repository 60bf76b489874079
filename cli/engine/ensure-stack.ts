import { access } from "node:fs/promises";

import { stateFile } from "./folders.ts";
import type { Pulumi } from "./pulumi.ts";

/** Whether the stack has a state. */
export async function stackExists(stack: string): Promise<boolean> {
  return access(stateFile(stack)).then(
    () => true,
    () => false,
  );
}

/**
 * Makes the stack when it does not exist yet.
 *
 * A settings file without `encryptionsalt` gets one from the engine; the committed ones have theirs and stay as they are.
 */
export async function ensureStack(pulumi: Pulumi): Promise<void> {
  if (!(await stackExists(pulumi.stack))) {
    await pulumi.state(["stack", "init"]);
  }
}
