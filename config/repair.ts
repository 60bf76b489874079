import type { z } from "zod";
import type { SettingsProblem } from "./problem.ts";
import { valueAt } from "./schema-paths.ts";

type Path = (string | number)[];
type Container = Record<string | number, unknown>;

/** More rounds than the settings have levels: a value, then what it left incomplete, and so on up. */
const maxRounds = 10;

/** Names for list items that have no usable one: places in the list must stay, as later problems name them. */
const standIns: readonly { readonly path: RegExp; readonly prefix: string }[] = [
  { path: /^nodes\/\d+\/name$/, prefix: "unnamed-" },
  { path: /^cluster\/workers\/\d+\/name$/, prefix: "unnamed-" },
];

/**
 * The settings with whatever the schema refuses taken out, so that the rest can still be judged in the same go.
 *
 * Only good for finding more problems: nobody may act on it.
 */
export function repaired<T>(schema: z.ZodType<T>, written: unknown): T {
  const copy: unknown = structuredClone(written);
  for (let round = 0; round < maxRounds; round++) {
    const result = schema.safeParse(copy);
    if (result.success) {
      return result.data;
    }
    for (const issue of result.error.issues) {
      const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
      const paths =
        issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
      paths.forEach((one) => takeOut(copy, one));
    }
  }
  throw new Error("the settings' schema refuses even its own defaults");
}

/** Removes what stands at `path`; where nothing does, something is missing, and what misses it goes instead. */
function takeOut(root: unknown, path: Path): void {
  const key = path.at(-1);
  const parent = valueAt(root, path.slice(0, -1));
  if (key === undefined || typeof parent !== "object" || parent === null) {
    return;
  }
  const standIn = standIns.find((one) => one.path.test(path.join("/")));
  const container = parent as Container;
  if (standIn !== undefined) {
    container[key] = `${standIn.prefix}${path.at(-2)}`;
  } else if (Array.isArray(parent) && hasStandIn(path)) {
    container[key] = {};
  } else if (Array.isArray(parent)) {
    parent.splice(Number(key), 1);
  } else if (key in container) {
    delete container[key];
  } else {
    takeOut(root, path.slice(0, -1));
  }
}

/** Whether an item at `path` could be filled with a stand-in name. */
function hasStandIn(path: SettingsProblem["path"]): boolean {
  return standIns.some((one) => one.path.test([...path, "name"].join("/")));
}
