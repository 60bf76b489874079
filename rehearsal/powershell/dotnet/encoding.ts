/** System.Text.Encoding, lines, and checksums. */
import { createHash } from "node:crypto";
import { tryConvert } from "../convert.ts";
import type { ScriptHost } from "../host.ts";
import * as is from "../types.ts";
import { bytes, types } from "../types.ts";
import type { PsArray } from "../values.ts";
import { isNull, NetObject, Unsupported, type Num, type Value } from "../values.ts";

export interface TextEncoding {
  encode(text: string): Buffer;
  decode(data: Buffer): string;
}

const utf8: TextEncoding = {
  encode: (text) => Buffer.from(text),
  decode: (data) => data.toString(),
};

/** Code page 1252: Encoding.Default, and the encoding that 5.1's cmdlets assume for text files. */
export const ansi: TextEncoding = {
  encode: (text) => {
    // Windows replaces characters outside the code page by similar ones, from a long table.
    if (/[^\0-\x7f\xa0-\xff]/.test(text)) {
      throw new Unsupported("characters beyond Latin-1 in code page 1252");
    }
    return Buffer.from(text, "latin1");
  },
  decode: (data) => new TextDecoder("windows-1252").decode(data),
};

/** Decodes a file. A byte order mark overrides the assumed encoding. */
export function decodeText(data: Buffer, assumed = utf8): string {
  const begins = (...mark: number[]) => mark.every((each, index) => data[index] === each);
  const isOther = begins(0xfe, 0xff) || begins(0xff, 0xfe, 0, 0) || begins(0, 0, 0xfe, 0xff);
  if (isOther || (begins(0xff, 0xfe) && data.length % 2 === 1)) {
    throw new Unsupported(
      "a text in UTF-32, in half of UTF-16, or in UTF-16 with the high byte first",
    );
  }
  if (begins(0xff, 0xfe)) return data.subarray(2).toString("utf16le");
  return begins(0xef, 0xbb, 0xbf) ? data.subarray(3).toString() : assumed.decode(data);
}

/** The line separator of the modelled machine. */
export function newLine(host: ScriptHost): string {
  return host.files.separator === "\\" ? "\r\n" : "\n";
}

/** Splits a text into lines. A final line break does not start another line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

export function toBuffer(value: PsArray): Buffer {
  return Buffer.from(value.items.map((item) => (item as Num).value));
}

type Encoding = NetObject<TextEncoding>;
const encoding = types.define({
  name: "System.Text.Encoding",
  methods: {
    // It also takes characters, and for some values neither suits.
    "GetBytes(object)": ({ state }: Encoding, text: Value) => {
      if (typeof text !== "string") throw new Unsupported("GetBytes of what is no text");
      return bytes(state.encode(text));
    },
  },
  staticProperties: {
    UTF8: () => new NetObject(encoding, utf8),
    Default: () => new NetObject(encoding, ansi),
  },
});
types.define({
  name: "System.Text.UTF8Encoding",
  base: "System.Text.Encoding",
  // The argument says whether files begin with a byte order mark. This encoding writes no files.
  constructors: { "(bool)": () => new NetObject(encoding, utf8) },
});
const sha256 = types.define({
  name: "System.Security.Cryptography.SHA256",
  methods: {
    // It also takes a stream, and a truth value suits neither.
    "ComputeHash(object)": (_: NetObject, value: Value) => {
      const isOpen = isNull(value) || typeof value === "boolean";
      const data = isOpen ? undefined : tryConvert(value, types.array(is.byte));
      if (data === undefined) throw new Unsupported("ComputeHash of what are no bytes");
      return bytes(
        createHash("sha256")
          .update(toBuffer(data as PsArray))
          .digest(),
      );
    },
  },
  staticMethods: { "Create()": () => new NetObject(sha256, null) },
});
