import { open, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { LogLines, type LogForm } from "./log-lines.ts";
import { stepsName, withRetries, type LogStream } from "./log-stream.ts";

/** The time in the name of a log that was rotated. */
const rotated = /-\d{4}-?\d\d-?\d\dT?/;

/** New files are searched for in every nth poll. */
const pollsPerSearch = 5;

export interface LogPattern {
  /** Path with `/`; `*` matches any characters within a part. */
  readonly path: string;
  readonly form: LogForm;
  readonly label: (file: string) => string;
  /** Size at which its writer renames it, which fails while the file is open elsewhere. */
  readonly renamedAt?: number;
}

interface FileStream {
  readonly name: string;
  readonly patterns: readonly LogPattern[];
  /** Labels of files whose absence is reported, and the message. */
  readonly expected: ReadonlyMap<string, string>;
  /** Message when another file has replaced a log. Default: what happened to the old file. */
  readonly renewed?: string;
  /** Follows the files until the signal, or until they cannot be reached. */
  readonly withFiles: (
    signal: AbortSignal,
    work: (files: LogFolder) => Promise<void>,
  ) => Promise<void>;
}

export function fileStream(stream: FileStream): LogStream {
  const { name, patterns, expected, renewed, withFiles } = stream;
  return {
    name,
    follow: async (following) => {
      const { signal, tail, pollSeconds, line, note } = following;
      const known = new Map<string, FollowedFile>();
      const missed = new Map(expected);
      let polls = 0;
      const search = async (files: LogFolder): Promise<void> => {
        for (const pattern of patterns) {
          for (const found of await findLogs(files, pattern.path)) {
            if (known.has(found)) continue;
            // A file that did not exist before is read from its beginning.
            known.set(found, new FollowedFile(found, pattern, polls === 0 ? tail : undefined));
          }
        }
      };
      const poll = async (files: LogFolder): Promise<void> => {
        if (polls % pollsPerSearch === 0) await search(files);
        polls += 1;
        for (const file of known.values()) {
          missed.delete(file.label);
          const { lines, note: news } = await file.poll(files);
          for (const text of lines) line(file.label, text);
          if (news !== undefined) note(file.label, renewed ?? news);
        }
      };
      const inform = (text: string): void => note(name, text);
      return withRetries(following, inform, (alive) =>
        withFiles(signal, async (files) => {
          while (!signal.aborted) {
            await poll(files);
            alive();
            for (const [label, text] of missed) note(label, text);
            missed.clear();
            await sleep(pollSeconds * 1000, undefined, { signal }).catch(() => undefined);
          }
        }),
      );
    },
  };
}

/** Files whose path matches a pattern, in the order of their names, without renamed logs. */
export async function findLogs(files: LogFolder, pattern: string): Promise<readonly string[]> {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => part.includes("*"));
  if (first === -1) return (await files.stat(pattern)) === undefined ? [] : [pattern];
  const folder = parts.slice(0, first).join("/");
  const wanted = wildcard(parts[first] ?? "");
  const rest = parts.slice(first + 1);
  const entries = (await files.list(folder))
    .filter(({ name, isFolder }) => isFolder === rest.length > 0 && wanted.test(name))
    .filter(({ name, isFolder }) => isFolder || !rotated.test(name))
    .map(({ name }) => `${folder}/${name}`)
    .sort();
  if (rest.length === 0) return entries;
  const found: string[] = [];
  for (const entry of entries) found.push(...(await findLogs(files, [entry, ...rest].join("/"))));
  return found;
}

function wildcard(part: string): RegExp {
  const escaped = part.split("*").map((text) => text.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`, "i");
}

/** Bytes at the end of a file that are searched for its last lines. */
const tailBytes = 256 * 1024;
const partBytes = 256 * 1024;
/** Parts of one file that are read before the next file is. */
const partsAtOnce = 16;
/** Bytes at a file's beginning that identify it: a log begins with a time. */
const headBytes = 128;
/** A file is not opened any more once it is this close to the size at which its writer renames it. */
const marginBytes = 256 * 1024;

interface FileNews {
  readonly lines: readonly string[];
  readonly note?: string;
}

/** A log file that grows, and is sometimes renamed or emptied. */
export class FollowedFile {
  readonly label: string;
  #lines: LogLines;
  #offset = 0;
  #head: Buffer = Buffer.alloc(0);
  #leftAlone = false;

  /** @param tail how many of its last lines to begin with. Default: all. */
  constructor(
    private readonly path: string,
    private readonly pattern: LogPattern,
    private tail?: number,
  ) {
    this.label = pattern.label(path);
    this.#lines = new LogLines(pattern.form);
  }

  async poll(files: LogFolder): Promise<FileNews> {
    const found = await files.stat(this.path);
    if (found === undefined) return { lines: [] };
    const { size } = found;
    if (this.tail !== undefined) {
      const lines = await this.#lastLines(files, size, this.tail);
      this.tail = undefined;
      return { lines };
    }
    if (size === this.#offset) return { lines: [] };
    const { renamedAt = Number.POSITIVE_INFINITY } = this.pattern;
    if (size > renamedAt - marginBytes && size > this.#offset) {
      if (this.#leftAlone) return { lines: [] };
      this.#leftAlone = true;
      const note = "is about to be rotated, and is not opened; the rest follows after that";
      return { lines: [], note };
    }
    if (size >= this.#offset && (await this.#isTheSame(files, this.path))) {
      return { lines: await this.#readOn(files, this.path) };
    }
    const before = await this.#restOfOld(files);
    const note = before ? "was rotated; continuing with the new one" : "was emptied or replaced";
    const lines = [...(before ?? []), ...this.#lines.end()];
    this.#lines = new LogLines(this.pattern.form);
    this.#offset = 0;
    this.#head = Buffer.alloc(0);
    this.#leftAlone = false;
    lines.push(...(await this.#readOn(files, this.path)));
    return { lines, note };
  }

  /** Skips to the end of the file, so that the next part begins with a complete line. */
  async #lastLines(files: LogFolder, size: number, tail: number): Promise<readonly string[]> {
    const start = Math.max(0, size - tailBytes);
    this.#lines = new LogLines(this.pattern.form, start > 0);
    this.#offset = start;
    const lines = await this.#readOn(files, this.path);
    return tail === 0 ? [] : lines.slice(-tail);
  }

  /** What was written before the file was renamed; undefined if it no longer exists under another name. */
  async #restOfOld(files: LogFolder): Promise<readonly string[] | undefined> {
    if (this.#head.length === 0) return undefined;
    const { dir, base, name: stem } = path.parse(this.path);
    for (const { name, isFolder } of await files.list(dir)) {
      if (isFolder || name === base || !name.startsWith(stem)) continue;
      const other = `${dir}/${name}`;
      const size = (await files.stat(other))?.size ?? 0;
      if (size >= this.#offset && (await this.#isTheSame(files, other))) {
        return this.#readOn(files, other);
      }
    }
    return undefined;
  }

  async #isTheSame(files: LogFolder, file: string): Promise<boolean> {
    if (this.#head.length === 0) return true;
    const head = await files.read(file, 0, this.#head.length);
    return head === undefined || head.equals(this.#head);
  }

  async #readOn(files: LogFolder, path: string): Promise<readonly string[]> {
    const lines: string[] = [];
    for (let part = 0; part < partsAtOnce; part++) {
      const bytes = await files.read(path, this.#offset, partBytes);
      if (bytes === undefined || bytes.length === 0) break;
      this.#offset += bytes.length;
      lines.push(...this.#lines.push(bytes));
      if (bytes.length < partBytes) break;
    }
    if (this.#head.length < headBytes) {
      this.#head = (await files.read(path, 0, Math.min(headBytes, this.#offset))) ?? this.#head;
    }
    return lines;
  }
}

/** Files of this host or of a machine. A missing file is no error; a lost connection is one. */
export interface LogFolder {
  /** Entries of a folder; empty if it does not exist. */
  list(folder: string): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]>;
  /** Undefined if it does not exist; does not open it. */
  stat(file: string): Promise<{ readonly size: number } | undefined>;
  /**
   * Reads bytes of a file from an offset, fewer at its end; opens it only for that.
   *
   * @returns undefined if it does not exist.
   */
  read(file: string, offset: number, length: number): Promise<Buffer | undefined>;
}

/** The output of the last or running `up`. @param file the file to which `up` writes it. */
export function stepsStream(file: string): LogStream {
  return fileStream({
    name: stepsName,
    patterns: [{ path: file, form: "plain", label: () => stepsName }],
    expected: new Map([[stepsName, "no `up` of this clone has written anything; waiting for one"]]),
    renewed: "a new `up` has begun",
    withFiles: (_signal, work) => work(localFiles),
  });
}

const localFiles: LogFolder = {
  list: async (folder) =>
    orNothing(async () => {
      const entries = await readdir(folder, { withFileTypes: true });
      return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
    }, []),

  stat: async (file) => orNothing(() => stat(file), undefined),

  read: async (file, offset, length) =>
    orNothing(async () => {
      const opened = await open(file, "r");
      try {
        const { buffer, bytesRead } = await opened.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      } finally {
        await opened.close();
      }
    }, undefined),
};

async function orNothing<T>(work: () => Promise<T>, nothing: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return nothing;
    throw error;
  }
}
