import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Parser, type ReadEntry } from "tar";
import { parseJson } from "../../toolchain/parse-json.ts";

/** A file in an archive of images. */
export interface ArchivedFile {
  /** SHA-256 of its content, in lower case; for a link, that of an empty file. */
  readonly sha256: string;
  /** Its content, if it is a JSON document. */
  readonly document?: unknown;
  /** Whether it is compressed with gzip or zstd. */
  readonly isCompressed: boolean;
  /** Name of the file that a symbolic link refers to, as in the link. */
  readonly linkTo?: string;
}

export interface ArchiveFiles {
  /** SHA-256 of the archive itself, in lower case. */
  readonly sha256: string;
  /** By their names, without a leading `./`. */
  readonly files: ReadonlyMap<string, ArchivedFile>;
}

/** Manifests, indexes and configurations are far smaller; layers are larger, or no JSON. */
const largestDocument = 4 * 1024 * 1024;

const gzip = Buffer.from([0x1f, 0x8b]);
const zstd = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Reads a tar archive, plain or compressed with gzip or zstd, once from start to end. @throws if it is no whole archive. */
export async function archiveFiles(path: string): Promise<ArchiveFiles> {
  const files = new Map<string, ArchivedFile>();
  const parser = new Parser({ strict: true });
  parser.on("entry", (entry: ReadEntry) => {
    readFile(entry, (file) => files.set(entry.path.replace(/^(\.\/)+/, ""), file));
  });
  // The parser reports several errors for one damage; the first says what is wrong.
  let damage: Error | undefined;
  const over = new Promise<void>((resolve) => {
    parser.on("end", resolve);
    parser.on("error", (error: Error) => {
      damage ??= error;
      resolve();
    });
  });
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk as Buffer);
    if (!parser.write(chunk as Buffer)) {
      await Promise.race([over, new Promise((resolve) => parser.once("drain", resolve))]);
    }
    if (damage !== undefined) throw damage;
  }
  parser.end();
  await over;
  if (damage !== undefined) throw damage;
  return { sha256: hash.digest("hex"), files };
}

function readFile(entry: ReadEntry, done: (file: ArchivedFile) => void): void {
  const hash = createHash("sha256");
  const kept: Buffer[] = [];
  let start = Buffer.alloc(0);
  entry.on("data", (chunk: Buffer) => {
    hash.update(chunk);
    if (start.length < zstd.length) start = Buffer.concat([start, chunk.subarray(0, zstd.length)]);
    if (entry.size <= largestDocument && /^\s*[{[]/.test(start.toString("latin1")))
      kept.push(chunk);
  });
  entry.on("end", () => {
    const document = kept.length === 0 ? undefined : parseJson(Buffer.concat(kept).toString());
    done({
      sha256: hash.digest("hex"),
      isCompressed: [gzip, zstd].some((magic) => start.subarray(0, magic.length).equals(magic)),
      ...(document !== undefined && { document }),
      ...(entry.type === "SymbolicLink" && { linkTo: entry.linkpath ?? "" }),
    });
  });
}
