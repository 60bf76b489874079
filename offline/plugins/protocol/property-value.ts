/**
 * A property value as the engine and plugins exchange it: JSON, in which an object with a signature key represents a
 * value that JSON has no type for. Signatures and sentinels are those of the engine (pulumi,
 * sdk/go/common/resource/plugin/rpc.go and sig/sig.go).
 */
export type PropertyValue =
  null | boolean | number | string | readonly PropertyValue[] | PropertyMap;

export interface PropertyMap {
  readonly [key: string]: PropertyValue | undefined;
}

const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const RESOURCE_REFERENCE = "5cf8f73096256a8f31e491e813e4eb8e";
const ASSET = "c44067f5952c0a294b673a41bacd8c17";
const ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7";

/** Sentinels for values that are not known before the update; the engine has one for each type. */
const UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const UNKNOWN_VALUES: ReadonlySet<string> = new Set([
  UNKNOWN_STRING,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

export const unknown: PropertyValue = UNKNOWN_STRING;

export function isUnknown(value: PropertyValue | undefined): boolean {
  return typeof value === "string" && UNKNOWN_VALUES.has(value);
}

export function isMap(value: PropertyValue | undefined): value is PropertyMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: PropertyValue | undefined): value is readonly PropertyValue[] {
  return Array.isArray(value);
}

function hasSignature(value: PropertyValue | undefined, signature: string): value is PropertyMap {
  return isMap(value) && value[SIGNATURE_KEY] === signature;
}

export function isSecret(value: PropertyValue | undefined): value is PropertyMap {
  return hasSignature(value, SECRET);
}

export function isAsset(value: PropertyValue | undefined): value is PropertyMap {
  return hasSignature(value, ASSET);
}

export function isArchive(value: PropertyValue | undefined): value is PropertyMap {
  return hasSignature(value, ARCHIVE);
}

/** An object whose keys are data, not one with a signature. */
export function isPlainMap(value: PropertyValue | undefined): value is PropertyMap {
  return isMap(value) && value[SIGNATURE_KEY] === undefined;
}

/** Marks a value as secret; a secret stays as it is. */
export function secret(value: PropertyValue): PropertyValue {
  return isSecret(value) ? value : { [SIGNATURE_KEY]: SECRET, value };
}

/** The value without the secret mark around it; marks further inside stay. */
export function unwrap(value: PropertyValue | undefined): PropertyValue | undefined {
  return isSecret(value) ? unwrap(value["value"]) : value;
}

/** The value without any secret mark, and with a reference to a resource replaced by that resource's id. */
export function reveal(value: PropertyValue): PropertyValue {
  if (isSecret(value)) return reveal(value["value"] ?? null);
  if (hasSignature(value, RESOURCE_REFERENCE)) return value["id"] ?? value["urn"] ?? null;
  if (isList(value)) return value.map(reveal);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => [key, reveal(element ?? null)]),
  );
}

function some(value: PropertyValue | undefined, test: (value: PropertyValue) => boolean): boolean {
  if (value === undefined) return false;
  if (test(value)) return true;
  if (isList(value)) return value.some((element) => some(element, test));
  if (isMap(value)) return Object.values(value).some((element) => some(element, test));
  return false;
}

export function containsUnknown(value: PropertyValue | undefined): boolean {
  return some(value, isUnknown);
}

export function containsSecret(value: PropertyValue | undefined): boolean {
  return some(value, isSecret);
}

/**
 * Whether two values are the same to the engine: assets by their hash, everything else by content. A value that
 * became secret, or no longer is, differs, so that the state is rewritten with or without encryption.
 */
export function sameValue(
  left: PropertyValue | undefined,
  right: PropertyValue | undefined,
): boolean {
  if (isAbsent(left) || isAbsent(right)) return isAbsent(left) && isAbsent(right);
  if ((isAsset(left) && isAsset(right)) || (isArchive(left) && isArchive(right))) {
    return left["hash"] === right["hash"];
  }
  if (isList(left) && isList(right)) {
    return (
      left.length === right.length && left.every((value, index) => sameValue(value, right[index]))
    );
  }
  if (isMap(left) && isMap(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...keys].every((key) => sameValue(left[key], right[key]));
  }
  return left === right;
}

/** A missing property and a null one mean the same. */
export function isAbsent(value: PropertyValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** The text of a string, number or boolean, secret or not; undefined for anything else. */
export function scalarText(value: PropertyValue | undefined): string | undefined {
  const bare = unwrap(value);
  return typeof bare === "string" || typeof bare === "number" || typeof bare === "boolean"
    ? String(bare)
    : undefined;
}

export function omit(map: PropertyMap, ...names: readonly string[]): PropertyMap {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)));
}
