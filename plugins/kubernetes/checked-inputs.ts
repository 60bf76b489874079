import { createHash } from "node:crypto";
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
import type { CheckFailure, Checked, CheckRequest } from "../protocol/resource-type.ts";
import type { Kind } from "./kinds.ts";
import { ANNOTATION } from "./object.ts";

/** Fields that only the API server sets; a program that copies a whole object does not mean them. */
const SERVER_FIELDS: readonly string[] = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "uid",
];

/** Parts of a Secret that are secret whatever the program made of them. */
const SECRET_FIELDS: readonly string[] = ["data", "stringData"];

const KNOWN_ANNOTATIONS: readonly string[] = Object.values(ANNOTATION);

/**
 * The inputs to go on with: the kind and a name filled in, the name being kept once it was made up, and the namespace
 * of the provider where the object has none.
 */
export function checkObject(kind: Kind, namespace: string, request: CheckRequest): Checked {
  const given = withoutNull(request.news) as PropertyMap;
  const failures = [...checkIdentity(kind, given), ...checkAnnotations(given)];
  const metadata = unwrap(given["metadata"]);
  const inputs: Record<string, PropertyValue | undefined> = {
    ...given,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
  };
  if (!isUnknown(metadata)) {
    const checked = checkMetadata(kind, namespace, isMap(metadata) ? metadata : {}, request);
    inputs["metadata"] = given["metadata"] === metadata ? checked : secret(checked);
    if (metadata === undefined) inputs["metadata"] = checked;
  }
  if (kind.kind === "Secret") {
    for (const field of SECRET_FIELDS) {
      const value = inputs[field];
      if (value !== undefined) inputs[field] = secret(value);
    }
  }
  return { inputs, failures };
}

function checkMetadata(
  kind: Kind,
  namespace: string,
  given: PropertyMap,
  request: CheckRequest,
): PropertyMap {
  const metadata = Object.fromEntries(
    Object.entries(given).filter(([name]) => !SERVER_FIELDS.includes(name)),
  );
  if (kind.namespaced && isAbsent(metadata["namespace"])) metadata["namespace"] = namespace;
  if (!isAbsent(metadata["name"])) return metadata;
  const annotations = unwrap(metadata["annotations"]);
  return {
    ...metadata,
    name: madeUpName(request.olds) ?? `${request.name}-${suffix(request.randomSeed)}`,
    annotations: { ...(isMap(annotations) ? annotations : {}), [ANNOTATION.autonamed]: "true" },
  };
}

function madeUpName(olds: PropertyMap): PropertyValue | undefined {
  return isAutonamed(olds) ? metadataOf(olds)["name"] : undefined;
}

/** Whether the provider made the name up. */
export function isAutonamed(inputs: PropertyMap): boolean {
  return annotationOf(inputs, ANNOTATION.autonamed) === "true";
}

/** An annotation of an object, or undefined. */
export function annotationOf(inputs: PropertyMap, name: string): string | undefined {
  const annotations = unwrap(metadataOf(inputs)["annotations"]);
  return isMap(annotations) ? scalarText(annotations[name]) : undefined;
}

export function metadataOf(inputs: PropertyMap): PropertyMap {
  const metadata = unwrap(inputs["metadata"]);
  return isMap(metadata) ? metadata : {};
}

/** The same in preview and update, since the engine gives both the same seed. */
function suffix(seed: Uint8Array): string {
  return createHash("sha256").update(seed).digest("hex").slice(0, 8);
}

function checkIdentity(kind: Kind, inputs: PropertyMap): CheckFailure[] {
  const failures: CheckFailure[] = [];
  const expect = (property: "apiVersion" | "kind", expected: string): void => {
    const given = inputs[property];
    if (!isAbsent(given) && given !== expected) {
      failures.push({ property, reason: `must be ${expected} for a resource of this type` });
    }
  };
  expect("apiVersion", kind.apiVersion);
  expect("kind", kind.kind);
  if (!isAbsent(metadataOf(inputs)["generateName"])) {
    const reason = "is not covered by the bundled kubernetes plugin; leave the name out instead";
    failures.push({ property: "metadata.generateName", reason });
  }
  return failures;
}

function checkAnnotations(inputs: PropertyMap): CheckFailure[] {
  const annotations = unwrap(metadataOf(inputs)["annotations"]);
  return (isMap(annotations) ? Object.keys(annotations) : [])
    .filter((name) => name.startsWith("pulumi.com/") && !KNOWN_ANNOTATIONS.includes(name))
    .map((name) => ({
      property: `metadata.annotations["${name}"]`,
      reason:
        "is not covered by the bundled kubernetes plugin; install the official pulumi-resource-kubernetes to use it",
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
