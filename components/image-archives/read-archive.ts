import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";

/** Bytes at the start of what gzip and zstd have compressed. */
const starts = {
  gzip: Buffer.from([0x1f, 0x8b]),
  zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
};

const chunkSize = 1024 * 1024;

/** How content was compressed, by its first bytes. */
export function compressionOf(start: Buffer): keyof typeof starts | undefined {
  return Object.entries(starts).find(([, magic]) =>
    start.subarray(0, magic.length).equals(magic),
  )?.[0] as keyof typeof starts | undefined;
}

/**
 * Reads a file once from start to end, and decompresses what gzip or zstd have compressed.
 *
 * @returns SHA-256 of the file itself, in lower case.
 */
export async function readArchive(
  path: string,
  consume: (content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  const hashed = async function* (file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of file) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const file = createReadStream(path, { highWaterMark: chunkSize });
  const decompress = await decompressorOf(path);
  await (decompress === undefined
    ? pipeline(file, hashed, consume)
    : pipeline(file, hashed, decompress, consume));
  return hash.digest("hex");
}

async function decompressorOf(path: string): Promise<Transform | undefined> {
  const file = await open(path);
  const { buffer } = await file.read({ buffer: Buffer.alloc(4) }).finally(() => file.close());
  switch (compressionOf(buffer)) {
    case "gzip":
      return zlib.createGunzip({ chunkSize });
    case "zstd":
      // Node.js has it since 22.15.
      if (!("createZstdDecompress" in zlib)) throw new Error("zstd needs Node.js 22.15 or later");
      return zlib.createZstdDecompress({ chunkSize });
    case undefined:
      return undefined;
  }
}
