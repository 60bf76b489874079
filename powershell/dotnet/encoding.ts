/** System.Text.Encoding. */
import type { Edition } from "../edition.ts";
import { bytes, type Types } from "../types.ts";
import { NetObject, Unsupported, type NetType, type Num, type PsArray } from "../values.ts";

export interface TextEncoding {
  /** What a file of this encoding begins with. */
  readonly mark: readonly number[];
  encode(text: string): Buffer;
  decode(data: Buffer): string;
}

const utf8Mark = [0xef, 0xbb, 0xbf];
const plainUtf8: TextEncoding = {
  mark: [],
  encode: (text) => Buffer.from(text, "utf8"),
  decode: (data) => data.toString("utf8"),
};
const markedUtf8: TextEncoding = { ...plainUtf8, mark: utf8Mark };
const unicode: TextEncoding = {
  mark: [0xff, 0xfe],
  encode: (text) => Buffer.from(text, "utf16le"),
  decode: (data) => data.toString("utf16le") + (data.length % 2 === 1 ? "\ufffd" : ""),
};
const ascii: TextEncoding = {
  mark: [],
  encode: (text) => Buffer.from(text.replace(/[^\0-\x7f]/g, "?"), "latin1"),
  decode: (data) => data.toString("latin1").replace(/[\x80-\xff]/g, "\ufffd"),
};

/** Of Windows' code page 1252, by byte; the five bytes it does not use stand for themselves. */
const ansiCharacters = new TextDecoder("windows-1252").decode(
  Uint8Array.from({ length: 256 }, (_, index) => index),
);
const ansi: TextEncoding = {
  mark: [],
  encode: (text) =>
    Buffer.from(
      Array.from(text, (character) => {
        const code = ansiCharacters.indexOf(character);
        if (code < 0) {
          // Windows takes a similar character in its place, by a long table.
          throw new Unsupported(`the character ${JSON.stringify(character)} in code page 1252`);
        }
        return code;
      }),
    ),
  decode: (data) => Array.from(data, (code) => ansiCharacters.charAt(code)).join(""),
};

/** What `Default` is, and what 5.1's cmdlets take a text file to be. */
export function defaultEncoding(edition: Edition): TextEncoding {
  return edition === "Desktop" ? ansi : plainUtf8;
}

/** A file's text: the mark it begins with says more than what the caller thinks. */
export function decodeText(data: Buffer, assumed: TextEncoding = plainUtf8): string {
  if (data[0] === 0xfe && data[1] === 0xff) {
    throw new Unsupported("texts in UTF-16 with the high byte first");
  }
  const marked = [markedUtf8, unicode].find(({ mark }) =>
    mark.every((each, index) => data[index] === each),
  );
  return marked ? marked.decode(data.subarray(marked.mark.length)) : assumed.decode(data);
}

/** A file with a text in it. */
export function encodeText(text: string, encoding: TextEncoding = plainUtf8): Buffer {
  return Buffer.concat([Buffer.from(encoding.mark), encoding.encode(text)]);
}

/** What a value of type byte[] has. */
export function toBuffer(value: PsArray): Buffer {
  return Buffer.from(value.items.map((item) => (item as Num).value));
}

type EncodingObject = NetObject<TextEncoding>;

export function defineEncodings(types: Types, edition: Edition): void {
  const encoding: NetType = types.define({
    name: "System.Text.Encoding",
    methods: {
      "GetBytes(string)": (self: EncodingObject, text: string) => bytes(self.state.encode(text)),
      "GetString(byte[])": (self: EncodingObject, data: PsArray) =>
        self.state.decode(toBuffer(data)),
      "GetString(byte[], int, int)": (
        self: EncodingObject,
        data: PsArray,
        index: number,
        count: number,
      ) => self.state.decode(toBuffer(data).subarray(index, index + count)),
    },
    staticProperties: {
      UTF8: () => new NetObject(utf8, markedUtf8),
      Unicode: () => new NetObject(encoding, unicode),
      ASCII: () => new NetObject(encoding, ascii),
      Default: () => new NetObject(encoding, defaultEncoding(edition)),
    },
  });
  const utf8: NetType = types.define({
    name: "System.Text.UTF8Encoding",
    base: "System.Text.Encoding",
    constructors: {
      "()": () => new NetObject(utf8, plainUtf8),
      "(bool)": (_: null, withMark: boolean) =>
        new NetObject(utf8, withMark ? markedUtf8 : plainUtf8),
    },
  });
}
