import {
  isAbsent,
  isArchive,
  isAsset,
  isList,
  isPlainMap,
  isSecret,
  isUnknown,
  type PropertyMap,
  type PropertyValue,
  secret,
  unwrap,
} from "./property-value.ts";
import { type CheckFailure, type Checked, notCovered } from "./resource-type.ts";

type Shape =
  | { readonly kind: "string" | "number" | "boolean" | "any" | "asset" }
  | { readonly kind: "choice"; readonly of: readonly (string | boolean)[] }
  | { readonly kind: "list" | "map"; readonly of: Shape }
  | { readonly kind: "object"; readonly of: Properties }
  /** The official plugin has this property; the bundled one does not. */
  | { readonly kind: "notCovered" };

export interface Property {
  readonly shape: Shape;
  readonly required?: boolean;
  readonly default?: PropertyValue;
  /** Whether the value becomes a secret even if the program has not marked it. */
  readonly secret?: boolean;
}

export type Properties = Readonly<Record<string, Property>>;

/**
 * Checks inputs against the properties of a resource and fills in defaults. An unknown property is a failure that
 * names it, so that no input is silently ignored.
 * @param plugin name for the failures, e.g. `docker`
 */
export function checkProperties(
  plugin: string,
  properties: Properties,
  inputs: PropertyMap,
): Checked {
  const failures: CheckFailure[] = [];
  const fail = (property: string, reason: string): void => {
    failures.push({ property, reason });
  };

  const conformObject = (value: PropertyMap, within: Properties, at: string): PropertyMap => {
    const path = (key: string): string => (at === "" ? key : `${at}.${key}`);
    const result: Record<string, PropertyValue> = {};
    for (const [key, element] of Object.entries(value)) {
      const property = within[key];
      if (property === undefined) fail(path(key), "there is no such property");
      else if (!isAbsent(element) && !isAbsent(unwrap(element))) {
        const conforming = conform(element, property.shape, path(key));
        result[key] = property.secret === true ? secret(conforming) : conforming;
      }
    }
    for (const [key, property] of Object.entries(within)) {
      if (result[key] !== undefined) continue;
      if (property.default !== undefined) result[key] = property.default;
      // The engine sends a secret without its value if that is unknown during an update: with --continue-on-error, because
      // of a resource that failed. It never creates what depends on that one.
      else if (property.required === true && !isSecret(value[key])) fail(path(key), "is required");
    }
    return result;
  };

  const conform = (value: PropertyValue, shape: Shape, at: string): PropertyValue => {
    if (isSecret(value)) return secret(conform(value["value"] ?? null, shape, at));
    if (isUnknown(value)) return value;
    const wrong = (what: string): PropertyValue => {
      fail(at, `must be ${what}`);
      return value;
    };
    switch (shape.kind) {
      case "any":
        return value;
      case "notCovered":
        fail(at, notCovered(plugin, "it"));
        return value;
      case "string":
      case "number":
      case "boolean":
        return typeof value === shape.kind ? value : wrong(`a ${shape.kind}`);
      case "asset":
        return isAsset(value) || isArchive(value) ? value : wrong("an asset or an archive");
      case "choice": {
        const isOne = shape.of.some((one) => one === value);
        return isOne ? value : wrong(`one of ${shape.of.join(", ")}`);
      }
      case "list":
        if (!isList(value)) return wrong("a list");
        return value.map((element, index) => conform(element, shape.of, `${at}[${index}]`));
      case "map":
        if (!isPlainMap(value)) return wrong("a map");
        return Object.fromEntries(
          Object.entries(value).flatMap(([key, element]) =>
            isAbsent(element) || isAbsent(unwrap(element))
              ? []
              : [[key, conform(element, shape.of, `${at}.${key}`)]],
          ),
        );
      case "object":
        return isPlainMap(value) ? conformObject(value, shape.of, at) : wrong("an object");
    }
  };

  return { inputs: conformObject(inputs, properties, ""), failures };
}
