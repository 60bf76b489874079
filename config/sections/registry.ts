import * as z from "zod";
import { localRegistry } from "../local-registry.ts";
import { type Check, unless } from "../problem.ts";

export const registry = z.boolean().default(false);

interface RegistrySection {
  readonly registry: z.output<typeof registry>;
  readonly cluster: { readonly workers: readonly { readonly name: string }[] };
  readonly windows: { readonly registryMirrors: Readonly<Record<string, unknown>> };
}

/** Its container would have the name of the worker's. */
const noSuchWorker: Check<RegistrySection> = {
  reads: ["registry", "cluster.workers"],
  run: ({ registry, cluster }) =>
    cluster.workers.flatMap(({ name }, index) =>
      unless(!registry || name !== "registry", {
        path: ["cluster", "workers", index, "name"],
        why: "is the name of the lab's registry (kindows:registry)",
        instead: "Write another name.",
      }),
    ),
};

const noMirror: Check<RegistrySection> = {
  reads: ["registry", "windows.registryMirrors"],
  run: ({ registry, windows }) =>
    unless(!registry || windows.registryMirrors[localRegistry.host] === undefined, {
      path: ["windows", "registryMirrors", localRegistry.host],
      why: "is the lab's registry (kindows:registry), which has no mirrors",
      instead: "Leave out either.",
    }),
};

export const registryChecks = [noSuchWorker, noMirror] as const;
