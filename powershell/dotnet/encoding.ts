/** System.Text.Encoding. */
import type { Edition } from "../edition.ts";
import { bytes, type Types } from "../types.ts";
import { NetObject, Unsupported, type Num, type PsArray } from "../values.ts";

export interface TextEncoding {
  /** What a file of this encoding begins with. */
  readonly mark: readonly number[];
  encode(text: string): Buffer;
  decode(data: Buffer): string;
}

function ofName(name: BufferEncoding, mark: readonly number[]): TextEncoding {
  return {
    mark,
    encode: (text) => Buffer.from(text, name),
    decode: (data) => data.toString(name),
  };
}

const plainUtf8 = ofName("utf8", []);
const markedUtf8 = ofName("utf8", [0xef, 0xbb, 0xbf]);
const unicode = ofName("utf16le", [0xff, 0xfe]);
const ascii: TextEncoding = {
  mark: [],
  encode: (text) => Buffer.from(text.replace(/[^\0-\x7f]/g, "?"), "latin1"),
  decode: (data) => data.toString("latin1").replace(/[\x80-\xff]/g, "\ufffd"),
};

const ansi: TextEncoding = {
  mark: [],
  encode: (text) => {
    // Windows takes a similar character in place of one that code page 1252 has not, by a long table.
    if (/[^\0-\x7f\xa0-\xff]/.test(text)) {
      throw new Unsupported("characters beyond Latin-1 in code page 1252");
    }
    return Buffer.from(text, "latin1");
  },
  decode: (data) => new TextDecoder("windows-1252").decode(data),
};

/** What `Default` is, and what 5.1's cmdlets take a text file to be. */
export function defaultEncoding(edition: Edition): TextEncoding {
  return edition === "Desktop" ? ansi : plainUtf8;
}

/** A file's text: the mark it begins with says more than what the caller thinks. */
export function decodeText(data: Buffer, assumed: TextEncoding = plainUtf8): string {
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

export function defineEncodings(types: Types, edition: Edition): void {
  type Encoding = NetObject<TextEncoding>;
  const getString = ({ state }: Encoding, data: PsArray, at = 0, count = Infinity) =>
    state.decode(toBuffer(data).subarray(at, at + count));
  const name = "System.Text.Encoding";
  const encoding = (state: TextEncoding) => new NetObject(types.get(name), state);
  types.define({
    name,
    methods: {
      "GetBytes(string)": ({ state }: Encoding, text: string) => bytes(state.encode(text)),
      "GetString(byte[])": getString,
      "GetString(byte[], int, int)": getString,
    },
    staticProperties: {
      UTF8: () => encoding(markedUtf8),
      Unicode: () => encoding(unicode),
      ASCII: () => encoding(ascii),
      Default: () => encoding(defaultEncoding(edition)),
    },
  });
  types.define({
    name: "System.Text.UTF8Encoding",
    base: name,
    constructors: {
      "(bool)": (_: null, withMark: boolean) => encoding(withMark ? markedUtf8 : plainUtf8),
    },
  });
}
