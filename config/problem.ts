import { Failure } from "../host/failure.ts";

const secretName = /passw|passphrase|passcode|secret|credential|private.?key|api.?key|^token$/i;

/** Names of settings of which only the form is shown. */
const veiledName = /^productKey$/i;

const maxLength = 60;

export interface Complaint {
  /** Why the value can't be, as the rest of a sentence that starts with it: `is not ...`, `has ...`. */
  readonly why: string;
  /** What to write instead, as a full sentence. */
  readonly instead: string;
}

export function unless<Problem extends Complaint>(well: boolean, problem: Problem): Problem[] {
  return well ? [] : [problem];
}

export interface SettingsProblem extends Complaint {
  /** Path below the namespace, e.g. `["nodes", 0, "name"]`. */
  readonly path: readonly (string | number)[];
  /** Default, of what a check finds: what stands at the path, if that is no group of settings. */
  readonly value?: unknown;
  /** Where it stands, for what is not below the namespace: `kindow:nodes`, `line 3, column 5`. */
  readonly place?: string;
}

export interface Check<Settings> {
  /**
   * Without these, e.g. `network.cidr`, it has nothing sensible to say: it is left out when one of them is malformed.
   * Default: none.
   */
  readonly reads?: readonly string[];
  /** @param file name of the stack's settings. */
  run(settings: Settings, file: string): SettingsProblem[];
}

/** Entries of a list that are the same as an earlier one, with their place and that of the first. */
export function repeated<Entry>(
  list: readonly Entry[],
  key: (entry: Entry) => string | undefined,
): { readonly entry: Entry; readonly index: number; readonly first: number }[] {
  const keys = list.map(key);
  return list
    .map((entry, index) => ({ entry, index, first: keys.indexOf(keys[index]) }))
    .filter(({ index, first }) => first < index && keys[index] !== undefined);
}

/** A path as a user reads it: `kindows:nodes[0].name`. */
export function pathText(path: SettingsProblem["path"]): string {
  const [section = "", ...rest] = path;
  const tail = rest.map((key) =>
    typeof key === "string" && /^\w+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
  );
  return `kindows:${section}${tail.join("")}`;
}

export function problemText(problem: SettingsProblem): string {
  const value = shownValue(problem.value, problem.path);
  const place = problem.place ?? pathText(problem.path);
  return `${place}: ${value === "" ? "" : `${value} `}${problem.why}. ${problem.instead}`;
}

export class SettingsError extends Failure {
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[], file: string) {
    const count = problems.length === 1 ? "1 mistake" : `${problems.length} mistakes`;
    const lines = problems.map((problem) => `  - ${problemText(problem)}`);
    super(`${count} in the settings (${file}); nothing was changed:\n${lines.join("\n")}`);
    this.problems = problems;
  }
}

/** As JSON, cut off where it is long, and without passwords, logins and keys, as errors end up in logs. */
function shownValue(value: unknown, path: readonly (string | number)[]): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  const text = JSON.stringify(veiled(String(path.at(-1) ?? ""), value), (key, inner: unknown) =>
    veiled(key, inner),
  );
  return text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
}

function veiled(name: string, value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  // A private key that was put where a public one belongs is one all the same.
  if (secretName.test(name) || String(value).includes("PRIVATE KEY")) return "(not shown)";
  if (typeof value === "number") return value;
  return veiledName.test(name) ? form(value) : withoutLogin(value);
}

/** What a key looks like: `A` for a capital letter, `a` for another one, `0` for a digit. */
function form(key: string): string {
  return key.replace(/[A-Z]/g, "A").replace(/[a-z]/g, "a").replace(/[0-9]/g, "0");
}

/** Addresses without what stands before their host, and without the query that may be a signature. */
function withoutLogin(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/gi, "$1...@")
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^?#\s]*[?#])\S+/gi, "$1...");
}
