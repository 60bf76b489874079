/** What streams of .NET and their readers are inside. */
import { decodeText, type TextEncoding } from "./encoding.ts";

/** What the state of a System.IO.Stream does. */
export interface ByteStream {
  /** Up to so many bytes from where it stands; none: it has ended. */
  read(length: number): Buffer | Promise<Buffer>;
  close(): void;
}

/** What the state of a System.IO.StreamReader is. */
export class TextReader {
  #text: Promise<string> | undefined;
  #at = 0;

  constructor(
    readonly source: ByteStream,
    readonly encoding?: TextEncoding,
  ) {}

  /** What is left. */
  async readToEnd(): Promise<string> {
    const text = await this.#all();
    const at = this.#at;
    this.#at = text.length;
    return text.slice(at);
  }

  async readLine(): Promise<string | null> {
    const text = await this.#all();
    const [whole, line = ""] = /^([^\r\n]*)(\r\n|\r|\n)?/.exec(text.slice(this.#at)) ?? [""];
    this.#at += whole.length;
    return whole === "" ? null : line;
  }

  /** A stream is read to its end at once: nobody else reads it meanwhile. */
  #all(): Promise<string> {
    return (this.#text ??= readAll(this.source).then((data) => decodeText(data, this.encoding)));
  }
}

async function readAll(source: ByteStream): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (;;) {
    const part = await source.read(65536);
    if (part.length === 0) {
      return Buffer.concat(parts);
    }
    parts.push(part);
  }
}

/** A stream of what a promise brings. */
export function streamOf(data: () => Promise<Buffer>): ByteStream {
  let rest: Buffer | undefined;
  return {
    async read(length) {
      rest ??= await data();
      const part = rest.subarray(0, length);
      rest = rest.subarray(length);
      return part;
    },
    close: () => undefined,
  };
}
