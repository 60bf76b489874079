import type { Previewed, PreviewedResource, Value } from "../cli/preview-diff/previewed.ts";
import type { Limits } from "./limits.ts";

/** Something a stack asks for that a rule forbids. */
export interface Violation {
  /** Name of the resource, or nothing where it is about the stack as a whole. */
  readonly resource?: string;
  /** What is wrong, with the value, and what to write instead. */
  readonly message: string;
}

/** A rule about what a stack asks for. Pure: it sees a preview, and no host. */
export interface Rule {
  /** How it is named in exceptions, e.g. `images-by-digest`. */
  readonly name: string;
  /** What must hold, and why. */
  readonly description: string;
  check(preview: Previewed, limits: Limits): readonly Violation[];
}

/** A text in a resource's inputs, and where it is. */
export interface TextAt {
  readonly resource: PreviewedResource;
  /** Names from the input down to it. */
  readonly path: readonly string[];
  readonly text: string;
}

/** All texts a preview shows: not secrets, nor what is not known yet. */
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
