/**
 * Host action: runs the lab's registry, with the images that it had, and waits until it answers on this host. One that is as
 * wanted is kept.
 */
import * as z from "zod";
import { localRegistry } from "../../../config/local-registry.ts";
import { docker, removeContainers } from "../../../host/docker.ts";
import { lines } from "../../../host/host.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { messageOf } from "../../../host/failure.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import {
  inspectedRegistry,
  inspectedVolume,
  isAsWanted,
  isOfLab,
  registryRunArgs,
  registrySchema,
  volumeArgs,
  type RegistryContainer,
} from "../registry-container.ts";
import { readInspected } from "../inspected.ts";
import { ensureImage } from "./cluster-images.ts";

export const environment = { REGISTRY: registrySchema };

/** Longest time to pull its image, and until it answers, in seconds. */
const [pullSeconds, answerSeconds] = [600, 60];

await runAction(environment, async ({ REGISTRY: registry }) => {
  const { name } = registry;
  if (await isThere(registry)) {
    await docker(["start", name]);
  } else {
    await ensureVolume(registry);
    await ensureImage(registry.image);
    say(`starting the container ${name}`);
    await docker(registryRunArgs(registry), { timeoutSeconds: pullSeconds });
  }
  const wait = { what: `the registry ${localRegistry.host}`, timeoutSeconds: answerSeconds };
  await waitUntil(wait, () => answer(name));
});

/** Removes one that is not as wanted. @throws if it is another lab's. */
async function isThere(registry: RegistryContainer): Promise<boolean> {
  const { name } = registry;
  if (!lines(await docker(["ps", "--all", "--format", "{{.Names}}"])).includes(name)) return false;
  const [found] = await inspected("container", name, z.tuple([inspectedRegistry]));
  if (!isOfLab(found.Config.Labels, registry)) throw notOurs("container", name);
  if (isAsWanted(found, registry)) return true;
  say(`making the container ${name} anew`);
  await removeContainers([name]);
  return false;
}

async function ensureVolume(registry: RegistryContainer): Promise<void> {
  const { name } = registry;
  // It keeps one that is there.
  await docker(volumeArgs(registry));
  const [found] = await inspected("volume", name, z.tuple([inspectedVolume]));
  if (!isOfLab(found.Labels, registry)) throw notOurs("volume", name);
}

async function inspected<T>(
  type: "container" | "volume",
  name: string,
  schema: z.ZodType<T>,
): Promise<T> {
  return readInspected(await docker(["inspect", "--type", type, name]), schema, type, name);
}

function notOurs(type: string, name: string): Error {
  return new Error(
    `Docker's ${type} ${name} is not this lab's: remove it if nobody uses it (docker ${type} rm ${name})`,
  );
}

/** @returns why it does not answer; undefined if it does. */
async function answer(name: string): Promise<string | undefined> {
  const why = await fetch(`http://127.0.0.1:${localRegistry.hostPort}/v2/`, {
    signal: AbortSignal.timeout(5000),
  }).then(
    ({ ok, status }) => (ok ? undefined : `it answers ${status}`),
    (error: unknown) => messageOf(error),
  );
  if (why === undefined) return undefined;
  const said = await docker(["logs", "--tail", "1", name]).catch(messageOf);
  return said === "" ? why : `${why}; the end of its log: ${said}`;
}
