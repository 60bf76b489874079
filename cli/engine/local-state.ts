import { chmod, mkdir } from "node:fs/promises";

import { localFolder } from "../../toolchain/project.ts";
import { pulumiHome, stateFolder } from "./folders.ts";

/** Makes what the engine keeps in this clone, for its owner's eyes only; what is there stays. */
export async function ensureLocalState(): Promise<void> {
  for (const folder of [localFolder, stateFolder, pulumiHome]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
}
