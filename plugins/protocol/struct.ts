import struct from "google-protobuf/google/protobuf/struct_pb.js";
import type { JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { isList, isMap, type PropertyMap, type PropertyValue } from "./property-value.ts";

/** Reads what the engine sent; a missing struct is an empty map. */
export function fromStruct(message: Struct | undefined): PropertyMap {
  return message === undefined ? {} : message.toJavaScript();
}

/** Makes the struct to send: properties without a value are left out. */
export function toStruct(map: PropertyMap): Struct {
  return struct.Struct.fromJavaScript(withoutUndefined(map) as { [key: string]: JavaScriptValue });
}

function withoutUndefined(value: PropertyValue): PropertyValue {
  if (isList(value)) return value.map(withoutUndefined);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).filter(([, element]) => element !== undefined);
  return Object.fromEntries(
    entries.map(([key, element]) => [key, withoutUndefined(element as PropertyValue)]),
  );
}
