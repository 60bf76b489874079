import { access, readFile, writeFile } from "node:fs/promises";

import { stateFile } from "./folders.ts";
import type { Pulumi } from "./pulumi.ts";
import { settingsFile } from "./stack-config.ts";

/** Whether the stack has a state. */
export async function stackExists(stack: string): Promise<boolean> {
  return access(stateFile(stack)).then(
    () => true,
    () => false,
  );
}

/** Makes the stack when it does not exist yet; its settings file stays as it is. */
export async function ensureStack(pulumi: Pulumi): Promise<void> {
  if (await stackExists(pulumi.stack)) {
    return;
  }
  const file = settingsFile(pulumi.stack);
  const settings = await readFile(file);
  try {
    await pulumi.state(["stack", "init"]);
  } finally {
    // The engine writes its salt into it, see `stack-config.ts`.
    await writeFile(file, settings);
  }
}
