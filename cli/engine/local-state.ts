import { randomBytes } from "node:crypto";
import { chmod, mkdir, writeFile } from "node:fs/promises";

import { passphraseFile, pulumiHome, stateFolder } from "./folders.ts";

/** Makes what the engine keeps in this clone, for its owner's eyes only; what is there stays. */
export async function ensureLocalState(): Promise<void> {
  for (const folder of [stateFolder, pulumiHome]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
  try {
    await writeFile(passphraseFile, randomBytes(32).toString("base64url"), {
      mode: 0o600,
      flag: "wx",
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
  }
}
