import * as z from "zod";

import { messageOf } from "../../host/failure.ts";
import { resourceName } from "../engine/deployment.ts";
import type { FactSource } from "../engine/facts.ts";
import type { PreviewedResource } from "./previewed-resource.ts";
import { valueOf } from "./value.ts";
import type { Value } from "./value.ts";

/** What a preview of a stack without a state tells: everything the program asks for. */
export interface Previewed {
  readonly resources: readonly PreviewedResource[];
  readonly components: readonly FactSource[];
  /** What the engine and the program say besides: warnings and errors. */
  readonly diagnostics: readonly { readonly severity: string; readonly message: string }[];
}

const list = z.array(z.string()).nullish();
const previewSchema = z.object({
  steps: z
    .array(
      z.object({
        op: z.string(),
        urn: z.string(),
        newState: z
          .object({
            custom: z.boolean(),
            type: z.string(),
            parent: z.string().nullish(),
            inputs: z.record(z.string(), z.unknown()).nullish(),
            propertyDependencies: z.record(z.string(), list).nullish(),
            dependencies: list,
            ignoreChanges: list,
            replaceOnChanges: list,
            replaceWith: list,
            deletedWith: z.string().nullish(),
          })
          .optional(),
      }),
    )
    .nullish(),
  diagnostics: z.array(z.object({ severity: z.string(), message: z.string() })).nullish(),
});

/**
 * Reads what `pulumi preview --json` prints.
 *
 * @param folder of the project.
 * @throws when it is something else.
 */
export function readPreview(json: string, folder: string): Previewed {
  let parsed: z.infer<typeof previewSchema>;
  try {
    parsed = previewSchema.parse(JSON.parse(json));
  } catch (error) {
    throw new Error(`the engine's preview cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const steps = parsed.steps ?? [];
  // Components do nothing of their own.
  const components = steps.flatMap(({ urn, newState }) =>
    newState?.custom === false ? [{ ...newState, urn }] : [],
  );
  const resources = steps.flatMap(({ urn, newState }) => {
    if (newState?.custom !== true) {
      return [];
    }
    const { type, inputs, propertyDependencies, deletedWith } = newState;
    return [
      {
        urn,
        type,
        name: resourceName(urn),
        parent: newState.parent ?? "",
        inputs: valueOf(inputs ?? {}, folder) as Readonly<Record<string, Value>>,
        inputSources: Object.fromEntries(
          Object.entries(propertyDependencies ?? {}).map(([key, urns]) => [key, urns ?? []]),
        ),
        dependencies: newState.dependencies ?? [],
        ignored: (newState.ignoreChanges ?? []).map(topLevel),
        replacing: (newState.replaceOnChanges ?? []).map(topLevel),
        replacedWith: newState.replaceWith ?? [],
        ...(deletedWith && { deletedWith }),
      },
    ];
  });
  return { resources: inOrder(resources), components, diagnostics: parsed.diagnostics ?? [] };
}

/** `triggers` of `triggers[*]`. */
function topLevel(path: string): string {
  return /^[^.[]*/.exec(path)?.[0] ?? path;
}

/**
 * Resources in an order that is the same for the same program: what a resource is made of comes before it, a machine's
 * things stay together, and else names decide (`win-2` before `win-10`). The engine tells them as they happen to arrive,
 * and a comment in a pull request must not change by itself.
 */
function inOrder(resources: readonly PreviewedResource[]): readonly PreviewedResource[] {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const compare = new Intl.Collator("en", { numeric: true });
  const ordered = new Set<PreviewedResource>();
  const seen = new Set<string>();
  const visit = (urns: readonly string[]): void => {
    const known = urns.flatMap((urn) => byUrn.get(urn) ?? []);
    for (const resource of known.toSorted(
      (a, b) => compare.compare(a.name, b.name) || compare.compare(a.urn, b.urn),
    )) {
      if (!seen.has(resource.urn)) {
        seen.add(resource.urn);
        visit([
          ...Object.values(resource.inputSources).flat(),
          ...resource.dependencies,
          ...resource.replacedWith,
        ]);
        ordered.add(resource);
      }
    }
  };
  visit([...byUrn.keys()]);
  return [...ordered];
}
