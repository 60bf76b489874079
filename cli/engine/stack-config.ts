import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { isMap, parseDocument } from "yaml";

import { projectRoot } from "../../toolchain/project.ts";
import { stackFolder } from "./folders.ts";

const saltKey = "encryptionsalt";

/** The settings file of a stack, as people write it. */
export function settingsFile(stack: string): string {
  return path.join(projectRoot, `Pulumi.${stack}.yaml`);
}

/**
 * A copy of the stack's settings file for the engine, in the stack's own folder.
 *
 * The engine writes the salt of this clone's passphrase into the file it reads. In the committed file that would be a
 * change in every clone, and the salt of one clone makes the state of another unreadable. A salt that stands in the
 * settings file (plain `pulumi` was used, or it holds a secret) is what counts.
 */
export async function writeEngineConfig(stack: string): Promise<string> {
  const file = path.join(stackFolder(stack), `Pulumi.${stack}.yaml`);
  const earlier = await readFile(file, "utf8").catch(() => "");
  const text = withSalt(await readFile(settingsFile(stack), "utf8"), earlier);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** The settings with the salt of an earlier copy, unless they have one. */
export function withSalt(settings: string, earlier: string): string {
  const document = parseDocument(settings);
  const salt = parseDocument(earlier).get(saltKey);
  if (typeof salt !== "string" || document.has(saltKey)) {
    return settings;
  }
  if (!isMap(document.contents)) {
    return `${saltKey}: ${salt}\n`;
  }
  document.set(saltKey, salt);
  return document.toString({ lineWidth: 0 });
}
