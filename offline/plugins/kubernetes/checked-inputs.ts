import {
  isAbsent,
  isList,
  isMap,
  isPlainMap,
  isUnknown,
  type PropertyMap,
  type PropertyValue,
  scalarText,
  secret,
  unwrap,
} from "../protocol/property-value.ts";
import { type CheckFailure, type Checked, notCovered } from "../protocol/resource-type.ts";
import type { Kind } from "./kinds.ts";
import { ANNOTATION } from "./object.ts";

/** Parts of a Secret that become secret even if the program has not marked them. */
const SECRET_FIELDS: readonly string[] = ["data", "stringData"];

const KNOWN_ANNOTATIONS: readonly string[] = Object.values(ANNOTATION);

/** Checks an object's inputs, and fills in apiVersion, kind and a missing namespace. */
export function checkObject(kind: Kind, news: PropertyMap): Checked {
  const given = withoutNull(news) as PropertyMap;
  const inputs: Record<string, PropertyValue | undefined> = {
    ...given,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
  };
  const metadata = unwrap(given["metadata"]);
  if (isMap(metadata) && kind.namespaced) {
    const named = { namespace: "default", ...metadata };
    inputs["metadata"] = given["metadata"] === metadata ? named : secret(named);
  }
  if (kind.kind === "Secret") {
    for (const field of SECRET_FIELDS) {
      const value = inputs[field];
      if (value !== undefined) inputs[field] = secret(value);
    }
  }
  return { inputs, failures: [...checkIdentity(kind, given), ...checkAnnotations(given)] };
}

export function annotationOf(inputs: PropertyMap, name: string): string | undefined {
  const annotations = unwrap(metadataOf(inputs)["annotations"]);
  return isMap(annotations) ? scalarText(annotations[name]) : undefined;
}

export function metadataOf(inputs: PropertyMap): PropertyMap {
  const metadata = unwrap(inputs["metadata"]);
  return isMap(metadata) ? metadata : {};
}

function checkIdentity(kind: Kind, inputs: PropertyMap): CheckFailure[] {
  const wrong = (["apiVersion", "kind"] as const)
    .filter((property) => !isAbsent(inputs[property]) && inputs[property] !== kind[property])
    .map((property) => ({
      property,
      reason: `must be ${kind[property]} for a resource of this type`,
    }));
  const nameless = !isUnknown(inputs["metadata"]) && isAbsent(metadataOf(inputs)["name"]);
  const reason = notCovered("kubernetes", "an object without a name");
  return nameless ? [...wrong, { property: "metadata.name", reason }] : wrong;
}

function checkAnnotations(inputs: PropertyMap): CheckFailure[] {
  const annotations = unwrap(metadataOf(inputs)["annotations"]);
  return (isMap(annotations) ? Object.keys(annotations) : [])
    .filter((name) => name.startsWith("pulumi.com/") && !KNOWN_ANNOTATIONS.includes(name))
    .map((name) => ({
      property: `metadata.annotations["${name}"]`,
      reason: notCovered("kubernetes", "it"),
    }));
}

function withoutNull(value: PropertyValue): PropertyValue {
  if (isList(value)) return value.map(withoutNull);
  if (!isPlainMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, element]) => !isAbsent(element))
      .map(([name, element]) => [name, withoutNull(element ?? null)]),
  );
}
