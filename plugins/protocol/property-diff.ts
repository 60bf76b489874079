import {
  isAbsent,
  isList,
  isPlainMap,
  isUnknown,
  type PropertyMap,
  type PropertyValue,
  sameValue,
} from "./property-value.ts";

export type ChangeKind = "add" | "delete" | "update";

/** One changed property: where it is and what happened to it. */
export interface PropertyChange {
  /** In the engine's notation, e.g. `environment.PATH`, `triggers[0]` or `labels["a.b"]`. */
  readonly path: string;
  /** The same place, key by key. */
  readonly keys: readonly (string | number)[];
  readonly kind: ChangeKind;
}

/** A property path in the engine's notation (pulumi, sdk/go/property/path.go). */
export function propertyPath(keys: readonly (string | number)[]): string {
  let path = "";
  for (const key of keys) {
    if (typeof key === "number") path += `[${String(key)}]`;
    else if (/^[A-Za-z0-9_$-]+$/.test(key)) path += path === "" ? key : `.${key}`;
    else path += `[${JSON.stringify(key)}]`;
  }
  return path;
}

/** What changed from the old properties to the new ones, down to the single leaf. Secrets and assets are leaves. */
export function diffProperties(olds: PropertyMap, news: PropertyMap): PropertyChange[] {
  return diffMaps(olds, news, []);
}

function diffMaps(
  olds: PropertyMap,
  news: PropertyMap,
  at: readonly (string | number)[],
): PropertyChange[] {
  const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])].sort();
  return keys.flatMap((key) => diffValues(olds[key], news[key], [...at, key]));
}

function diffValues(
  before: PropertyValue | undefined,
  after: PropertyValue | undefined,
  keys: readonly (string | number)[],
): PropertyChange[] {
  if (sameValue(before, after) && !isUnknown(after)) return [];
  const change = (kind: ChangeKind): PropertyChange[] => [{ path: propertyPath(keys), keys, kind }];
  if (isAbsent(before)) return change("add");
  if (isAbsent(after)) return change("delete");
  if (isPlainMap(before) && isPlainMap(after)) return diffMaps(before, after, keys);
  if (isList(before) && isList(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) =>
      diffValues(before[index], after[index], [...keys, index]),
    ).flat();
  }
  return change("update");
}
