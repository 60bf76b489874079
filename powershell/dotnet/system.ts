/** The console, and checksums. */
import { createHash } from "node:crypto";
import { toText } from "../convert.ts";
import type { Host } from "../host.ts";
import * as is from "../types.ts";
import { types, type Types } from "../types.ts";
import { NetObject, type PsArray, type Value } from "../values.ts";
import { toBuffer } from "./encoding.ts";

/** Of the machine the script believes to be on. */
export function newLine(host: Host): string {
  return host.files.separator === "\\" ? "\r\n" : "\n";
}

const sha256 = types.define({
  name: "System.Security.Cryptography.SHA256",
  methods: {
    "ComputeHash(byte[])": (_: Value, data: PsArray) =>
      is.bytes(createHash("sha256").update(toBuffer(data)).digest()),
  },
  staticMethods: { "Create()": () => new NetObject(sha256, null) },
});

export function defineSystemTypes(set: Types, host: Host): void {
  type Writer = NetObject<(text: string) => void>;
  const writer = set.define({
    name: "System.IO.TextWriter",
    methods: {
      "WriteLine(object)": ({ state }: Writer, value: Value) =>
        void state(toText(value) + newLine(host)),
    },
  });
  set.define({
    name: "System.Console",
    staticProperties: {
      Out: () => new NetObject(writer, host.output),
      Error: () => new NetObject(writer, host.error),
    },
  });
}
