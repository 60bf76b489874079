import {
  isAbsent,
  isList,
  isPlainMap,
  isUnknown,
  type PropertyMap,
  type PropertyValue,
  sameValue,
} from "./property-value.ts";

export interface PropertyChange {
  readonly keys: PropertyKeys;
  readonly before: PropertyValue | undefined;
  readonly after: PropertyValue | undefined;
}

type PropertyKeys = readonly (string | number)[];

export function kindOf({ before, after }: PropertyChange): "add" | "delete" | "update" {
  if (isAbsent(before)) return "add";
  return isAbsent(after) ? "delete" : "update";
}

/**
 * A path in the engine's notation (pulumi, sdk/go/property/path.go), e.g. `environment.PATH`, `triggers[0]` or
 * `labels["a.b"]`.
 */
export function propertyPath(keys: PropertyKeys): string {
  let path = "";
  for (const key of keys) {
    if (typeof key === "number") path += `[${String(key)}]`;
    else if (/^[A-Za-z0-9_$-]+$/.test(key)) path += path === "" ? key : `.${key}`;
    else path += `[${JSON.stringify(key)}]`;
  }
  return path;
}

/** The leaves that changed from the old properties to the new ones. Secrets and assets are leaves. */
export function diffProperties(olds: PropertyMap, news: PropertyMap): PropertyChange[] {
  return diffMaps(olds, news, []);
}

function diffMaps(olds: PropertyMap, news: PropertyMap, at: PropertyKeys): PropertyChange[] {
  const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])].sort();
  return keys.flatMap((key) => diffValues(olds[key], news[key], [...at, key]));
}

function diffValues(
  before: PropertyValue | undefined,
  after: PropertyValue | undefined,
  keys: PropertyKeys,
): PropertyChange[] {
  if (sameValue(before, after) && !isUnknown(after)) return [];
  if (isPlainMap(before) && isPlainMap(after)) return diffMaps(before, after, keys);
  if (isList(before) && isList(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) =>
      diffValues(before[index], after[index], [...keys, index]),
    ).flat();
  }
  return [{ keys, before, after }];
}
