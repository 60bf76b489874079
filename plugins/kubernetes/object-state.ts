import {
  containsSecret,
  isList,
  isMap,
  isPlainMap,
  omit,
  type PropertyMap,
  type PropertyValue,
  sameValue,
  secret,
  unwrap,
} from "../protocol/property-value.ts";
import type { KubernetesObject } from "./object.ts";

/** Keys under which the official plugin keeps what it must remember, beside the live object. */
export const FIELD_MANAGER = "__fieldManager";
const INITIAL_API_VERSION = "__initialApiVersion";

/**
 * The state of an object: the live object without the list of who manages what, and the name its fields are managed
 * under. What is secret in the inputs is secret in it.
 */
export function objectState(
  live: KubernetesObject,
  inputs: PropertyMap,
  fieldManager: string,
): PropertyMap {
  const metadata = omit((live.metadata ?? {}) as PropertyMap, "managedFields");
  const object = { ...(live as PropertyMap), metadata };
  const state: Record<string, PropertyValue | undefined> = {
    ...markSecrets(object, inputs),
    [FIELD_MANAGER]: fieldManager,
    [INITIAL_API_VERSION]: live.apiVersion ?? null,
  };
  const { data } = state;
  if (live.kind === "Secret" && data !== undefined) state["data"] = secret(data);
  return state;
}

/**
 * Marks in `object` what is secret in `inputs`. In lists the whole list is marked, since the API server may have put
 * it into another order.
 */
function markSecrets(object: PropertyMap, inputs: PropertyMap): PropertyMap {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const input = inputs[name];
      if (value === undefined || !containsSecret(input)) return [name, value];
      if (isPlainMap(value) && isPlainMap(input)) return [name, markSecrets(value, input)];
      return [name, secret(value)];
    }),
  );
}

/**
 * The inputs after a refresh: as they were, except where the live object changed since the state was written. Values
 * that the API server writes differently (`1000m` as `1`) are no change, for it did so from the beginning.
 */
export function liveInputs(
  inputs: PropertyMap,
  state: PropertyMap,
  live: PropertyMap,
): PropertyMap {
  const result: Record<string, PropertyValue | undefined> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const value = liveValue(input, state[name], live[name]);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function liveValue(
  input: PropertyValue | undefined,
  before: PropertyValue | undefined,
  now: PropertyValue | undefined,
): PropertyValue | undefined {
  const [bareInput, bareBefore, bareNow] = [unwrap(input), unwrap(before), unwrap(now)];
  let value: PropertyValue | undefined;
  if (isPlainMap(bareInput) && isPlainMap(bareBefore) && isPlainMap(bareNow)) {
    value = liveInputs(bareInput, bareBefore, bareNow);
  } else if (isList(bareInput) && isList(bareNow) && bareInput.length === bareNow.length) {
    const befores = isList(bareBefore) ? bareBefore : [];
    value = bareInput.map(
      (element, index) => liveValue(element, befores[index], bareNow[index]) ?? null,
    );
  } else value = sameValue(withoutMarks(bareBefore), withoutMarks(bareNow)) ? bareInput : bareNow;
  return input !== bareInput && value !== undefined ? secret(value) : value;
}

function withoutMarks(value: PropertyValue | undefined): PropertyValue | undefined {
  const bare = unwrap(value);
  if (isList(bare)) return bare.map((element) => withoutMarks(element) ?? null);
  if (!isMap(bare)) return bare;
  return Object.fromEntries(
    Object.entries(bare).map(([name, element]) => [name, withoutMarks(element)]),
  );
}

/** Inputs for an object that is imported: all that is not the API server's own. */
export function importedInputs(live: KubernetesObject): PropertyMap {
  const { name, namespace, labels, annotations } = (live.metadata ?? {}) as PropertyMap;
  return {
    ...omit(live as PropertyMap, "status"),
    metadata: { name, namespace, labels, annotations },
  };
}
