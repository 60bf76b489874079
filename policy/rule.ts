import type { Previewed, PreviewedResource, Value } from "../cli/preview-diff/previewed.ts";
import * as z from "zod";

/** A violation of a rule. */
export interface Violation {
  /** Name of the resource; undefined if it is about the stack as a whole. */
  readonly resource?: string;
  /** What is wrong, with the value, and what to write instead. */
  readonly message: string;
}

/** A rule for stacks. Pure: it gets a preview, and no host. */
export interface Rule {
  /** Its name in exceptions, e.g. `images-by-digest`. */
  readonly name: string;
  /** What must hold, and why. */
  readonly description: string;
  check(preview: Previewed, limits: Limits): readonly Violation[];
}

/** A text in a resource's inputs, and where it is. */
export interface TextAt {
  readonly resource: PreviewedResource;
  /** Path from the input to it. */
  readonly path: readonly string[];
  readonly text: string;
}

/** All texts in a preview, without secrets and unknown values. */
export function texts(preview: Previewed): readonly TextAt[] {
  return preview.resources.flatMap((resource) =>
    textsBelow(resource.inputs, []).map(({ path, text }) => ({ resource, path, text })),
  );
}

function textsBelow(
  value: Value,
  path: readonly string[],
): readonly { readonly path: readonly string[]; readonly text: string }[] {
  if (typeof value === "string") {
    return [{ path, text: value }];
  }
  if (typeof value !== "object" || value === null || "hidden" in value) {
    return [];
  }
  return Object.entries(value as Readonly<Record<string, Value>>).flatMap(([key, each]) =>
    textsBelow(each, [...path, key]),
  );
}

const count = z.number().int().positive();

/** Resource limits of a stack: limits.yaml. */
export const limitsSchema = z.strictObject({
  /** Resources in the state: more of them make each preview slower. */
  resources: count,
  /** Memory of all machines together. */
  machineMemoryMiB: count,
  /** Virtual processors of all machines together. */
  machineCpus: count,
  /** Maximum size of all machines' disks together. */
  machineDiskGiB: count,
});

export type Limits = z.infer<typeof limitsSchema>;
