import { createHash } from "node:crypto";
import { Parser, type ReadEntry } from "tar";
import { parseJson } from "../../toolchain/parse-json.ts";
import { compressionOf, readArchive } from "./read-archive.ts";

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
  /** Size of the uncompressed archive. */
  readonly bytes: number;
  /** By their names, without a leading `./`. */
  readonly files: ReadonlyMap<string, ArchivedFile>;
}

/** Manifests, indexes and configurations are far smaller; layers are larger, or no JSON. */
const largestDocument = 4 * 1024 * 1024;

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
  let bytes = 0;
  const sha256 = await readArchive(path, async (content) => {
    for await (const chunk of content) {
      bytes += chunk.length;
      if (!parser.write(chunk)) {
        await Promise.race([over, new Promise((resolve) => parser.once("drain", resolve))]);
      }
      if (damage !== undefined) throw damage;
    }
    parser.end();
    await over;
    if (damage !== undefined) throw damage;
  });
  return { sha256, bytes, files };
}

function readFile(entry: ReadEntry, done: (file: ArchivedFile) => void): void {
  const hash = createHash("sha256");
  const kept: Buffer[] = [];
  let start = Buffer.alloc(0);
  entry.on("data", (chunk: Buffer) => {
    hash.update(chunk);
    if (start.length < 4) start = Buffer.concat([start, chunk.subarray(0, 4)]);
    if (entry.size <= largestDocument && /^\s*[{[]/.test(start.toString("latin1")))
      kept.push(chunk);
  });
  entry.on("end", () => {
    const document = kept.length === 0 ? undefined : parseJson(Buffer.concat(kept).toString());
    done({
      sha256: hash.digest("hex"),
      isCompressed: compressionOf(start) !== undefined,
      ...(document !== undefined && { document }),
      ...(entry.type === "SymbolicLink" && { linkTo: entry.linkpath ?? "" }),
    });
  });
}
