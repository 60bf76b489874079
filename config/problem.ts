import { shownValue } from "./shown-value.ts";

/** What is wrong with one value, without saying where it stands. */
export interface Complaint {
  /** Why the value can't be, as the rest of a sentence that starts with it: `is not ...`, `has ...`. */
  readonly why: string;
  /** What to write instead, as a full sentence. */
  readonly instead: string;
}

/** One mistake in the settings. */
export interface SettingsProblem extends Complaint {
  /** Path below the namespace, e.g. `["nodes", 0, "name"]`. */
  readonly path: readonly (string | number)[];
  /** The value there; undefined when it is missing. */
  readonly value: unknown;
  /** Where it stands, for what is not below the namespace: `kindow:nodes`, `line 3, column 5`. */
  readonly place?: string;
}

/** A path as a user reads it: `kindows:nodes[0].name`. */
export function pathText(path: SettingsProblem["path"]): string {
  const [section = "", ...rest] = path;
  const tail = rest.map((key) =>
    typeof key === "string" && /^\w+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
  );
  return `kindows:${section}${tail.join("")}`;
}

/** The one line for a problem: path, value, why, what to write instead. */
export function problemText(problem: SettingsProblem): string {
  const value = shownValue(problem.value, problem.path);
  const place = problem.place ?? pathText(problem.path);
  return `${place}: ${value === "" ? "" : `${value} `}${problem.why}. ${problem.instead}`;
}

/** Every mistake of the settings at once. */
export class SettingsError extends Error {
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[], file: string) {
    const count = problems.length === 1 ? "1 mistake" : `${problems.length} mistakes`;
    const lines = problems.map((problem) => `  - ${problemText(problem)}`);
    super(`${count} in the settings (${file}); nothing was changed:\n${lines.join("\n")}`);
    this.name = "SettingsError";
    this.problems = problems;
  }
}
