import { cp } from "node:fs/promises";
import path from "node:path";

const repository = path.resolve(import.meta.dirname, "../../../..");

/** What programs and host actions are made of. */
const sources = [
  ...["cli", "components", "config", "plugins", "policy", "preflight", "rehearsal", "stacks"],
  ...["ssh", "kubernetes", "host", "toolchain", "verify", "index.ts"],
];

/**
 * Copies this project's sources to a folder: they look for what is built beside themselves, and tests edit them.
 *
 * @param more further files of the project.
 */
export async function copySources(folder: string, more: readonly string[] = []): Promise<void> {
  for (const name of [...sources, ...more]) {
    await cp(path.join(repository, name), path.join(folder, name), { recursive: true });
  }
}
