import { Failure } from "../host/failure.ts";

const secretName = /passw|passphrase|passcode|secret|credential|private.?key|api.?key|^token$/i;

/** Settings that say where a secret is. */
const locationName = /File$/;

/** Settings of whose value only the form is shown. */
const maskedName = /^productKey$/i;

const maxLength = 60;

/** Longest text that patterns are tried on; more than is ever shown. */
const maxExamined = 1000;

export interface Complaint {
  /** What is wrong, as the rest of a sentence that starts with the value: `is not ...`, `has ...`. */
  readonly why: string;
  /** What to write instead, as a full sentence. */
  readonly instead: string;
}

export function unless<Problem extends Complaint>(isGood: boolean, problem: Problem): Problem[] {
  return isGood ? [] : [problem];
}

export interface SettingsProblem extends Complaint {
  /** Path below the namespace, e.g. `["nodes", 0, "name"]`. */
  readonly path: readonly (string | number)[];
  /**
   * The value to show. Default for problems found by a check: the value at the path, unless it is a group of settings.
   */
  readonly value?: unknown;
  /** Location of a problem that is not below the namespace: `kindow:nodes`, `line 3, column 5`. */
  readonly location?: string;
}

export interface Check<Settings> {
  /** Settings the check depends on, e.g. `network.cidr`; it is skipped if one of them is malformed. Default: none. */
  readonly reads?: readonly string[];
  /** @param file name of the file with the stack's settings. */
  run(settings: Settings, file: string): SettingsProblem[];
}

/** List entries with the same key as an earlier one, with their index and the index of the first such entry. */
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
  const location = problem.location ?? pathText(problem.path);
  return `${location}: ${value === "" ? "" : `${value} `}${problem.why}. ${problem.instead}`;
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

/** The value as JSON, shortened, and without passwords, logins and keys because errors end up in logs. */
function shownValue(value: unknown, path: readonly (string | number)[]): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  const text = JSON.stringify(redacted(String(path.at(-1) ?? ""), value), (key, inner: unknown) =>
    redacted(key, inner),
  );
  return text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
}

function redacted(name: string, value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  // A user may have put a private key where a public one belongs.
  const isSecret = secretName.test(name) && !locationName.test(name);
  if (isSecret || String(value).includes("PRIVATE KEY")) return "(not shown)";
  if (typeof value === "number") return value;
  const beginning = value.slice(0, maxExamined);
  return maskedName.test(name) ? masked(beginning) : withoutLogin(beginning);
}

/** Replaces every capital letter by `A`, every small letter by `a` and every digit by `0`. */
function masked(key: string): string {
  return key.replace(/[A-Z]/g, "A").replace(/[a-z]/g, "a").replace(/[0-9]/g, "0");
}

/** Removes the user and password from addresses, and the query or fragment because it may be a signature. */
function withoutLogin(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/gi, "$1...@")
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^?#\s]*[?#])\S+/gi, "$1...");
}
