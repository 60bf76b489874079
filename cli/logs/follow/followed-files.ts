import { setTimeout as sleep } from "node:timers/promises";

import { LogLines, type LogForm } from "./log-lines.ts";
import { withRetries, type LogStream } from "./log-stream.ts";

/** What programs that rename their logs put in the name of an old one: the time. */
const old = /-\d{4}-?\d\d-?\d\dT?/;

/** Every how many looks new files are looked for. */
const looksPerSearch = 5;

/** Log files of one kind on a machine. */
export interface LogPattern {
  /** Path with `/`; a part may hold `*`, which stands for any characters. */
  readonly path: string;
  readonly form: LogForm;
  /** What stands before its lines. */
  readonly label: (file: string) => string;
  /** Bytes at which its writer renames it; it fails where somebody has the file open then. */
  readonly renamedAt?: number;
}

/** Logs that are files. */
interface FileStream {
  readonly name: string;
  readonly patterns: readonly LogPattern[];
  /** Labels of those that are missed where they are not there, and what is said then. */
  readonly expected: ReadonlyMap<string, string>;
  /** What is said of one that has another file by now. Default: what became of the old one. */
  readonly renewed?: string;
  /** Works with the files until the signal, or until they cannot be reached. */
  readonly withFiles: (
    signal: AbortSignal,
    work: (files: LogFolder) => Promise<void>,
  ) => Promise<void>;
}

/** Log files that are there, and those that come, looked at again and again. */
export function fileStream(stream: FileStream): LogStream {
  const { name, patterns, expected, renewed, withFiles } = stream;
  return {
    name,
    follow: async (following) => {
      const { signal, tail, lookSeconds, line, tell } = following;
      const known = new Map<string, { readonly label: string; readonly file: FollowedFile }>();
      const missed = new Map(expected);
      let looks = 0;
      const search = async (files: LogFolder): Promise<void> => {
        for (const { path: pattern, label, ...options } of patterns) {
          for (const path of await findLogs(files, pattern)) {
            if (known.has(path)) continue;
            // Of a file that was not there before, nothing has been missed.
            const file = new FollowedFile({ path, ...options, ...(looks === 0 && { tail }) });
            known.set(path, { label: label(path), file });
          }
        }
      };
      const look = async (files: LogFolder): Promise<void> => {
        if (looks % looksPerSearch === 0) await search(files);
        looks += 1;
        for (const { label, file } of known.values()) {
          missed.delete(label);
          const news = await file.look(files);
          for (const text of news.lines) line(label, text);
          for (const text of news.notes) tell(label, renewed ?? text);
        }
      };
      return withRetries({
        ...following,
        tell: (text) => tell(name, text),
        follow: (alive) =>
          withFiles(signal, async (files) => {
            while (!signal.aborted) {
              await look(files);
              alive();
              for (const [label, text] of missed) tell(label, text);
              missed.clear();
              await sleep(lookSeconds * 1000, undefined, { signal }).catch(() => undefined);
            }
          }),
      });
    },
  };
}

/** Files whose path fits a pattern, in the order of their names; old halves of logs left out. */
export async function findLogs(files: LogFolder, pattern: string): Promise<readonly string[]> {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => part.includes("*"));
  if (first === -1) {
    return (await files.size(pattern)) === undefined ? [] : [pattern];
  }
  const folder = parts.slice(0, first).join("/");
  const wanted = wildcard(parts[first] ?? "");
  const rest = parts.slice(first + 1);
  const entries = (await files.list(folder))
    .filter(({ name, isFolder }) => isFolder === rest.length > 0 && wanted.test(name))
    .filter(({ name, isFolder }) => isFolder || !old.test(name))
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

/** Bytes of the end of a file that its last lines are looked for in. */
const tailBytes = 256 * 1024;
/** Bytes read at a time. */
const partBytes = 256 * 1024;
/** Parts of one file that are read before the others get their turn. */
const partsAtOnce = 16;
/** Bytes of a file's beginning by which it is known: a log begins with a time. */
const headBytes = 128;
/** Bytes before the size at which its writer renames it from which on a file is left alone. */
const marginBytes = 256 * 1024;

/** What one look at a file has told. */
export interface FileNews {
  readonly lines: readonly string[];
  /** Something about the file itself. */
  readonly notes: readonly string[];
}

export interface FollowedFileOptions {
  readonly path: string;
  readonly form: LogForm;
  /** Last lines to show of what is there at the first look; all of it where it is nothing. */
  readonly tail?: number;
  /** Bytes at which its writer renames it, and fails where the file is open. */
  readonly renamedAt?: number;
}

/** One log file that grows, and is renamed or emptied now and then, looked at again and again. */
export class FollowedFile {
  readonly #path: string;
  readonly #form: LogForm;
  readonly #renamedAt: number;
  #tail: number | undefined;
  #lines: LogLines;
  #offset = 0;
  #head: Buffer = Buffer.alloc(0);
  #leftAlone = false;

  constructor({ path, form, tail, renamedAt }: FollowedFileOptions) {
    this.#path = path;
    this.#form = form;
    this.#tail = tail;
    this.#renamedAt = renamedAt ?? Number.POSITIVE_INFINITY;
    this.#lines = new LogLines(form);
  }

  /** What has come since the last look. */
  async look(files: LogFolder): Promise<FileNews> {
    const size = await files.size(this.#path);
    if (size === undefined) return { lines: [], notes: [] };
    if (this.#tail !== undefined) {
      const tail = this.#tail;
      const lines = await this.#lastLines(files, size, tail);
      this.#tail = undefined;
      return { lines, notes: [] };
    }
    if (size === this.#offset) return { lines: [], notes: [] };
    if (size > this.#renamedAt - marginBytes && size > this.#offset) {
      const note = "is about to be renamed, and is left alone; the rest comes after that";
      const notes = this.#leftAlone ? [] : [note];
      this.#leftAlone = true;
      return { lines: [], notes };
    }
    const lines: string[] = [];
    const notes: string[] = [];
    if (size < this.#offset || !(await this.#isTheSame(files))) {
      const before = await this.#restOfOld(files);
      lines.push(...before.lines, ...this.#lines.end());
      notes.push(
        before.found ? "was renamed; continues with the new one" : "was emptied or replaced",
      );
      this.#lines = new LogLines(this.#form);
      this.#offset = 0;
      this.#head = Buffer.alloc(0);
      this.#leftAlone = false;
    }
    lines.push(...(await this.#readOn(files, this.#path)));
    return { lines, notes };
  }

  /** The end of the file as it is, so that what comes next begins with a whole line. */
  async #lastLines(files: LogFolder, size: number, tail: number): Promise<readonly string[]> {
    const start = Math.max(0, size - tailBytes);
    this.#lines = new LogLines(this.#form, start > 0);
    this.#offset = start;
    const lines = await this.#readOn(files, this.#path);
    return tail === 0 ? [] : lines.slice(-tail);
  }

  /** What the file's old half got after the last look, if it is still there under another name. */
  async #restOfOld(
    files: LogFolder,
  ): Promise<{ readonly lines: readonly string[]; readonly found: boolean }> {
    const folder = this.#path.slice(0, this.#path.lastIndexOf("/"));
    const name = this.#path.slice(this.#path.lastIndexOf("/") + 1);
    const stem = name.replace(/\.[^.]*$/, "");
    if (this.#head.length === 0) return { lines: [], found: false };
    for (const entry of await files.list(folder)) {
      if (entry.isFolder || entry.name === name || !entry.name.startsWith(stem)) continue;
      const path = `${folder}/${entry.name}`;
      const size = (await files.size(path)) ?? 0;
      const head = await files.read(path, 0, this.#head.length);
      if (size >= this.#offset && head?.equals(this.#head) === true) {
        return { lines: await this.#readOn(files, path), found: true };
      }
    }
    return { lines: [], found: false };
  }

  async #isTheSame(files: LogFolder): Promise<boolean> {
    if (this.#head.length === 0) return true;
    return (await files.read(this.#path, 0, this.#head.length))?.equals(this.#head) !== false;
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

/** A file or folder in a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Where log files lie: this host's disk, or a machine's. What is not there is no error; a lost connection is one. */
export interface LogFolder {
  /** What is in a folder; nothing where there is none. */
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** Bytes of a file, without opening it; nothing where there is none. */
  size(file: string): Promise<number | undefined>;
  /**
   * Bytes of a file from an offset on, fewer at its end; opens it for no longer than that.
   *
   * @returns nothing where there is none.
   */
  read(file: string, offset: number, length: number): Promise<Buffer | undefined>;
}
