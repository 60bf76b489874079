import { readFile, readdir, stat } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { checkedJson, parseJson } from "../../toolchain/parse-json.ts";
import { chosenBackend } from "./backend.ts";
import type { Deployment } from "./deployment.ts";
import { checkDeployment } from "./deployment.ts";
import { settingsFile, stateFile } from "./folders.ts";
import { enginePulumi, initArguments, type Pulumi } from "./pulumi.ts";

const fileSchema = z.object({
  version: z.number(),
  checkpoint: z.object({ latest: z.unknown().optional() }),
});

/**
 * State of a stack as the engine last wrote it. In this clone's own backend, it is read without the engine.
 *
 * @returns undefined when the stack does not exist.
 * @throws when the file is damaged, or the backend cannot be used.
 */
export async function readState(stack: string): Promise<Deployment | undefined> {
  if (chosenBackend() !== undefined) return enginePulumi(stack).findState();
  if (!(await stackExists(stack))) return undefined;
  const file = stateFile(stack);
  const value = parseJson(await readFile(file, "utf8"));
  const { data } = fileSchema.safeParse(value);
  const deployment = data && { version: data.version, deployment: data.checkpoint.latest ?? {} };
  return checkDeployment(deployment, file);
}

const listSchema = z.array(z.object({ name: z.string(), lastUpdate: z.string().optional() }));

/**
 * Stacks of this project that have a state, and when each was last written.
 *
 * @throws Failure when the backend cannot be used.
 */
export async function stacksWithState(): Promise<ReadonlyMap<string, string>> {
  if (chosenBackend() !== undefined) {
    const list = checkedJson(
      await enginePulumi("any").state(["stack", "ls", "--json"]),
      listSchema,
      "the backend's list of stacks",
      "look at it with `pulumi stack ls --json`",
    );
    return new Map(list.map(({ name, lastUpdate = "" }) => [name, lastUpdate]));
  }
  const files = await readdir(path.dirname(stateFile("any"))).catch(() => [] as string[]);
  const names = files.flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []).sort();
  const times = names.map(async (name) => String((await stat(stateFile(name))).mtimeMs));
  return new Map((await Promise.all(times)).map((time, at) => [names[at] ?? "", time]));
}

export async function stackExists(stack: string): Promise<boolean> {
  return (await stacksWithState()).has(stack);
}

export async function ensureStack(pulumi: Pulumi): Promise<void> {
  if (!(await stackExists(pulumi.stack))) {
    await pulumi.state(initArguments(await readFile(settingsFile(pulumi.stack), "utf8")));
  }
}
