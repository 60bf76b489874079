import {
  isList,
  isPlainMap,
  type PropertyMap,
  type PropertyValue,
} from "../protocol/property-value.ts";

/** Key under which the official plugin keeps, at every level, the names of the inputs that it filled in itself. */
export const DEFAULTS = "__defaults";

/** The inputs as the program gave them, in a state that either plugin wrote. */
export function withoutDefaults(inputs: PropertyMap): PropertyMap {
  return Object.fromEntries(
    Object.entries(inputs)
      .filter(([name]) => name !== DEFAULTS)
      .map(([name, value]) => [name, value === undefined ? undefined : strip(value)]),
  );
}

function strip(value: PropertyValue): PropertyValue {
  if (isList(value)) return value.map(strip);
  return isPlainMap(value) ? withoutDefaults(value) : value;
}
