import { FollowedFile } from "./followed-file.ts";
import type { LogFolder } from "./log-folder.ts";
import type { LogPattern } from "./node-logs.ts";

/** What programs that rename their logs put in the name of an old one: the time. */
const old = /-\d{4}-?\d\d-?\d\dT?/;

/** Every how many looks new files are looked for. */
const looksPerSearch = 5;

export interface FollowedFilesOptions {
  readonly patterns: readonly LogPattern[];
  /** Last lines of each file to begin with. */
  readonly tail: number;
  /** Takes a line without secrets. */
  readonly line: (label: string, text: string) => void;
  /** Takes what there is to say of a log. */
  readonly note: (label: string, text: string) => void;
}

/** The log files of one machine: those that are there, and those that come. */
export class FollowedFiles {
  readonly #options: FollowedFilesOptions;
  readonly #known = new Map<string, { readonly label: string; readonly file: FollowedFile }>();
  #looks = 0;

  constructor(options: FollowedFilesOptions) {
    this.#options = options;
  }

  /** Labels of the logs there are. */
  get labels(): readonly string[] {
    return [...new Set([...this.#known.values()].map(({ label }) => label))];
  }

  /** Tells what has come since the last look. */
  async look(files: LogFolder): Promise<void> {
    if (this.#looks % looksPerSearch === 0) await this.#search(files);
    this.#looks += 1;
    const { line, note } = this.#options;
    for (const { label, file } of this.#known.values()) {
      const news = await file.look(files);
      for (const text of news.lines) line(label, text);
      for (const text of news.notes) note(label, text);
    }
  }

  async #search(files: LogFolder): Promise<void> {
    const { patterns, tail } = this.#options;
    for (const { path, form, label, renamedAt } of patterns) {
      for (const found of await findLogs(files, path)) {
        if (this.#known.has(found)) continue;
        const file = new FollowedFile({
          path: found,
          form,
          ...(renamedAt !== undefined && { renamedAt }),
          // Of a file that was not there before, nothing has been missed.
          ...(this.#looks === 0 && { tail }),
        });
        this.#known.set(found, { label: label(found), file });
      }
    }
  }
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
