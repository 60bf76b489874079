/**
 * Rows that nobody has written: those of the tables, with parts of others, and of the scripts that ship, in the place of
 * their own. The same seed gives the same rows.
 */
import { createHash } from "node:crypto";
import { tables, type Row } from "../unit/rehearsal/powershell/recorded-tables.ts";
import { ComposedRows } from "./composed-rows.ts";
import { partsOf, type Part, type Role } from "./row-parts.ts";
import { ShippedRows, type ShippedScript, shippedScripts } from "./shipped-rows.ts";

export type FreshRow = Pick<Row, "topic" | "script">;

/** Rows that change files are made of each other only: all that they do is in a folder of their own, `$d`. */
export const isAboutFiles = (topic: string): boolean => topic.startsWith("files:");

/** What must not be in a row: it never ends, ends the process, is different each time, or does something to this host. */
const unwanted = new RegExp(
  [
    /\b(exit|Start-Sleep|Read-Host|Get-Random|Get-Date|Start-Process|Out-Host|Write-Host)\b/,
    /\b(Get-Process|Get-Command|Get-Variable|Select-Object -Wait|Thread)\b/i,
    /\$(env:|global:(?!v\b)|script:(?!v\b))|\bPSScriptRoot\b|UtcNow|::Now|InnerException/i,
    /\bfunction (global|script):/i,
  ]
    .map(({ source }) => source)
    .join("|"),
  "i",
);
const changesHost =
  /\b(Remove|New|Move|Copy|Rename|Set|Add|Clear|Out|Tee|Get-ChildItem|Export|Invoke)-(Item|Content|File|ChildItem|Object\b.*-FilePath|Expression)|Get-ChildItem|\bIO\.(File|Directory|Stream|FileStream|StreamWriter)\b|\bDelete\(/i;
/** What a file has is different each time. */
const writesPath = /WriteAllText\([^,]*,[^)]*\$d\b/;
const makesFolder = /^\$d = .*?; try \{ (foreach .*?WriteAllText[^;]*; )?/;
const removesFolder = " } finally { Remove-Item -LiteralPath $d -Recurse -Force }";

/** Topic of the rows out of scripts that ship. */
const shipped = "shipped";

interface Source {
  readonly topic: string;
  readonly script: string;
  readonly parts: readonly Part[];
}

interface Piece {
  readonly text: string;
  readonly isClosed: boolean;
}

/** The parts of a row that others may replace. None if it cannot be parsed, or is unwanted. */
function sourceOf(topic: string, script: string): Source {
  const none = { topic, script, parts: [] };
  const ofFiles = isAboutFiles(topic);
  if (!ofFiles && (unwanted.test(script) || changesHost.test(script))) return none;
  const from = ofFiles ? (makesFolder.exec(script)?.[0].length ?? Infinity) : 0;
  const to = ofFiles ? script.lastIndexOf(removesFolder) : script.length;
  try {
    const parts = partsOf(script).filter(({ start, end }) => start >= from && end <= to);
    return { topic, script, parts };
  } catch {
    return none;
  }
}

/** What is in the scripts that ship and says something without their variables. */
function shippedParts({ text, body }: ShippedScript): Source {
  const roles: readonly Role[] = ["access", "stage", "operator", "type"];
  const parts = partsOf(text, body).filter(({ role }) => roles.includes(role));
  return { topic: "", script: text, parts };
}

/** Numbers between 0 and 1, of which the seed decides. */
function random(seed: string): () => number {
  let state = createHash("sha256").update(seed).digest().readUInt32LE();
  // Mulberry32.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The names of the variables and own functions that a text uses. */
function needs(text: string): readonly string[] {
  const variables = [...text.matchAll(/[$@](\w+)/g)].map(([, name = ""]) => name.toLowerCase());
  const calls = [...text.matchAll(/(?<![\w$.'"-])([fgkst])(?=$|[\s)}|;])/g)].map(
    ([, name = ""]) => ` ${name}`,
  );
  return [...variables.filter((name) => !/^(true|false|null|_|matches)$/.test(name)), ...calls];
}

export class FreshRows {
  readonly #random: () => number;
  readonly #composed: ComposedRows;
  readonly #shipped: ShippedRows;
  readonly #sources: readonly Source[];
  readonly #known: Set<string>;
  /** By role, the pieces of each topic, and those of all that belong together. */
  readonly #pieces = new Map<string, Piece[]>();

  constructor(seed: string) {
    this.#random = random(seed);
    this.#composed = new ComposedRows(this.#random);
    const scripts = shippedScripts();
    this.#shipped = new ShippedRows(this.#random, scripts);
    const rows = [...tables().values()].flat();
    this.#known = new Set(rows.map(({ script }) => script));
    const sources = rows.map(({ topic, script }) => sourceOf(topic, script));
    this.#sources = sources.filter(({ parts }) => parts.length > 0);
    const seen = new Set<string>();
    for (const { topic, script, parts } of [...sources, ...scripts.map(shippedParts)]) {
      for (const { role, start, end, isClosed = false } of parts) {
        const text = script.slice(start, end);
        for (const group of [topic, groupOf(topic)]) {
          const key = `${role} ${group}`;
          if (seen.has(`${key} ${text}`) || text.length > 120 || text.includes("\n")) continue;
          seen.add(`${key} ${text}`);
          const pieces = this.#pieces.get(key) ?? [];
          pieces.push({ text, isClosed });
          this.#pieces.set(key, pieces);
        }
      }
    }
  }

  /** The next row. All are different, and none is in the tables. */
  next(): FreshRow {
    for (;;) {
      if (this.#random() < 0.5) {
        const script = this.#composed.next();
        if (this.#known.has(script)) continue;
        this.#known.add(script);
        return { topic: "composed", script };
      }
      let source: Source | undefined = this.#row();
      const { topic } = source;
      if (source.parts.length === 0) continue;
      // Of the scripts, no table has a row.
      const changes = Math.floor(this.#random() ** 2 * 3) + (topic === shipped ? 0 : 1);
      for (let change = 0; change < changes && source; change++) {
        const script = this.#changed(source);
        source = script === undefined ? undefined : sourceOf(topic, script);
        if (source?.parts.length === 0) source = undefined;
      }
      if (!source || this.#known.has(source.script) || source.script.length > 1500) continue;
      if (isAboutFiles(topic) && writesPath.test(source.script)) continue;
      if (isAboutFiles(topic) && unwanted.test(source.script.replace(makesFolder, ""))) continue;
      this.#known.add(source.script);
      return { topic, script: source.script };
    }
  }

  /** A row to change. */
  #row(): Source {
    if (this.#random() < 0.3) return sourceOf(shipped, this.#shipped.next());
    // Each topic as often as every other: they have one row or a thousand.
    const { topic } = this.#pick(this.#topics);
    return this.#pick(this.#byTopic.get(topic) ?? this.#sources);
  }

  get #topics(): readonly Source[] {
    return [...this.#byTopic.values()].map(([first]) => first as Source);
  }

  #grouped: Map<string, Source[]> | undefined;
  get #byTopic(): ReadonlyMap<string, readonly Source[]> {
    if (!this.#grouped) {
      this.#grouped = new Map();
      for (const each of this.#sources) {
        const all = this.#grouped.get(each.topic) ?? [];
        all.push(each);
        this.#grouped.set(each.topic, all);
      }
    }
    return this.#grouped;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }

  /** The script with another piece in the place of one of its parts. Undefined if none fits there. */
  #changed({ topic, script, parts }: Source): string | undefined {
    const { role, start, end } = this.#pick(parts);
    const group = this.#random() < 0.6 && topic !== shipped ? topic : groupOf(topic);
    const pieces = this.#pieces.get(`${role} ${group}`);
    if (!pieces) return undefined;
    const { text, isClosed } = this.#pick(pieces);
    const isBare = isClosed || role !== "value" || this.#random() < 0.2;
    const changed = script.slice(0, start) + (isBare ? text : `(${text})`) + script.slice(end);
    const has = new Set(needs(script));
    return needs(text).every((name) => has.has(name)) ? changed : undefined;
  }
}

function groupOf(topic: string): string {
  return isAboutFiles(topic) ? "<files>" : "<all>";
}
