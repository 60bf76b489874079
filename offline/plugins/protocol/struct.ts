import struct from "google-protobuf/google/protobuf/struct_pb.js";
import type { JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import type { PropertyMap } from "./property-value.ts";

/** Reads what the engine sent; a missing struct is an empty map. */
export function fromStruct(message: Struct | undefined): PropertyMap {
  return message === undefined ? {} : message.toJavaScript();
}

/** Writes the struct to send; leaves out properties without a value, as JSON does. */
export function toStruct(map: PropertyMap): Struct {
  const plain = JSON.parse(JSON.stringify(map)) as { [key: string]: JavaScriptValue };
  return struct.Struct.fromJavaScript(plain);
}
