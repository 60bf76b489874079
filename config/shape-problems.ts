import type { z } from "zod";
import { insteadOfUnknown } from "./known-keys.ts";
import type { SettingsProblem } from "./problem.ts";
import { insteadParam } from "./values/value.ts";

type Path = SettingsProblem["path"];
type Issue = z.core.$ZodIssue;

/** How each type is called, and how a value of it is written. */
const types: Readonly<Record<string, { name: string; write: string }>> = {
  string: {
    name: "text",
    write: "Write text; put quotes around what would be a number or a truth value.",
  },
  number: { name: "a number", write: "Write a number without quotes." },
  int: { name: "a whole number", write: "Write a whole number without quotes." },
  object: {
    name: "a group of settings",
    write: "Write its settings indented below it, one `key: value` a line.",
  },
  record: {
    name: "a group of settings",
    write: "Write its entries indented below it, one `key: value` a line.",
  },
  array: {
    name: "a list",
    write: "Write its items indented below it, each after a dash, or [] for none.",
  },
};

/** Value at `path` of what was written; undefined when there is none. */
export function valueAt(written: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    written,
  );
}

/** The mistakes behind zod's issues, in terms of a user who writes YAML. */
export function shapeProblems(
  schema: z.core.$ZodType,
  written: unknown,
  issues: readonly Issue[],
): SettingsProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
    const value = valueAt(written, path);
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: [...path, key],
        value: valueAt(value, [key]),
        why: "is not a setting",
        instead: insteadOfUnknown(schema, path, key),
      }));
    }
    if (issue.code === "invalid_key") {
      const key = path.at(-1) ?? "";
      return issue.issues.map((inner) => ({
        path: path.slice(0, -1),
        value: key,
        ...complaint(inner, key),
      }));
    }
    return [{ path, value, ...complaint(issue, value) }];
  });
}

/** Why and what instead, for every kind of issue the schema can raise. */
function complaint(issue: Issue, value: unknown): { why: string; instead: string } {
  switch (issue.code) {
    case "custom": {
      const instead: unknown = issue.params?.[insteadParam];
      return { why: issue.message, instead: typeof instead === "string" ? instead : "" };
    }
    case "invalid_type": {
      const type = types[issue.expected] ?? { name: issue.expected, write: "" };
      return {
        why: value === undefined ? "is missing" : `is not ${type.name}`,
        instead: type.write,
      };
    }
    case "too_small":
      return { why: `is less than ${issue.minimum}`, instead: `Write ${issue.minimum} or more.` };
    case "too_big":
      return { why: `is more than ${issue.maximum}`, instead: `Write ${issue.maximum} or less.` };
    case "invalid_value":
      return oneOf(
        issue.values.map((one) => String(one)),
        value,
      );
    case "invalid_union":
      return oneOf(unionChoices(issue), value);
    case "invalid_key":
    case "invalid_element":
    case "invalid_format":
    case "not_multiple_of":
    case "unrecognized_keys":
      return { why: issue.message, instead: "See docs/settings.md." };
  }
}

function oneOf(choices: readonly string[], value: unknown): { why: string; instead: string } {
  return {
    why: value === undefined ? "is missing" : "is not one of the choices",
    instead: `Write ${choices.join(" or ")}.`,
  };
}

/** Values of the key that tells the members of a union apart. */
function unionChoices(issue: z.core.$ZodIssueInvalidUnion): string[] {
  return "options" in issue ? (issue.options ?? []).map((one) => String(one)) : [];
}
