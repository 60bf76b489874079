import type * as z from "zod";
import { metaAt, valueAt } from "./schema-paths.ts";

type Path = (string | number)[];
type Container = Record<string | number, unknown>;

/** More rounds than the settings have levels: a value, then what it left incomplete, and so on up. */
const maxRounds = 10;

/**
 * The settings with whatever the schema refuses taken out, so that the rest can still be checked in the same go. Values
 * without which a greater whole would have to go, and hide its other mistakes, have a placeholder in the schema: places
 * in lists must stay, as later problems name them.
 *
 * Only for finding more problems; never used otherwise.
 */
export function repaired<T>(schema: z.ZodType<T>, written: unknown): T {
  const copy: unknown = structuredClone(written);
  for (let round = 0; round < maxRounds; round++) {
    const result = schema.safeParse(copy);
    if (result.success) {
      return result.data;
    }
    // In reverse order, as removing an entry of a list moves the following ones.
    for (const issue of result.error.issues.toReversed()) {
      const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
      if (issue.code === "unrecognized_keys") {
        issue.keys.forEach((key) => Reflect.deleteProperty(valueAt(copy, path) as object, key));
      } else {
        takeOut(schema, copy, path);
      }
    }
  }
  throw new Error("the settings' schema refuses even its own defaults");
}

/** Removes the value at `path`; if it is missing, removes its parent. */
function takeOut(schema: z.core.$ZodType, root: unknown, path: Path): void {
  const key = path.at(-1);
  const parent = valueAt(root, path.slice(0, -1));
  if (key === undefined || typeof parent !== "object" || parent === null) {
    return;
  }
  const { placeholder } = metaAt(schema, root, path);
  const container = parent as Container;
  if (placeholder !== undefined) {
    const place = path.findLast((one) => typeof one === "number") ?? 0;
    container[key] = placeholder(place);
  } else if (Array.isArray(parent) && hasPlaceholder(schema, root, [...path, "name"])) {
    container[key] = {};
  } else if (Array.isArray(parent)) {
    parent.splice(Number(key), 1);
  } else if (key in container) {
    delete container[key];
  } else {
    takeOut(schema, root, path.slice(0, -1));
  }
}

function hasPlaceholder(schema: z.core.$ZodType, root: unknown, path: Path): boolean {
  return metaAt(schema, root, path).placeholder !== undefined;
}
