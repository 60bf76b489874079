import type { z } from "zod";
import { insteadOfUnknown } from "./known-keys.ts";
import type { Complaint, SettingsProblem } from "./problem.ts";
import { metaAt, valueAt } from "./schema-paths.ts";
import type { SettingMeta } from "./schema-paths.ts";
import { insteadParam } from "./values/value.ts";

type Schema = z.core.$ZodType;
type Issue = z.core.$ZodIssue;

/** How each type is called, and how a value of it is written. */
const types: Readonly<Record<string, { name: string; write: string }>> = {
  string: { name: "text", write: "Write text." },
  number: { name: "a number", write: "Write a number without quotes." },
  int: { name: "a whole number", write: "Write a whole number." },
  boolean: { name: "true or false", write: "Write true or false." },
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

/** The mistakes behind zod's issues, in terms of a user who writes YAML. */
export function shapeProblems(
  schema: Schema,
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
        instead: insteadOfUnknown(schema, written, path, key),
      }));
    }
    const meta = metaAt(schema, written, path);
    if (issue.code === "invalid_key") {
      const key = path.at(-1) ?? "";
      return issue.issues.map((inner) => ({
        path: path.slice(0, -1),
        value: key,
        ...complaint(inner, key, meta),
      }));
    }
    return [{ path, value, ...complaint(issue, value, meta) }];
  });
}

/** Why and what instead, for every kind of issue the schema can raise. */
function complaint(issue: Issue, value: unknown, meta: SettingMeta): Complaint {
  const unit = meta.unit === undefined ? "" : ` (${meta.unit})`;
  switch (issue.code) {
    case "custom": {
      const instead: unknown = issue.params?.[insteadParam];
      return { why: issue.message, instead: typeof instead === "string" ? instead : "" };
    }
    case "invalid_type":
      return wrongType(issue.expected, value, meta.description);
    case "too_small":
      return {
        why: `is less than ${issue.minimum}`,
        instead: `Write ${issue.minimum} or more${unit}.`,
      };
    case "too_big":
      return {
        why: `is more than ${issue.maximum}`,
        instead: `Write ${issue.maximum} or less${unit}.`,
      };
    case "invalid_value":
      return oneOf(
        issue.values.map((choice) => String(choice)),
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

function wrongType(expected: string, value: unknown, description = ""): Complaint {
  const type = types[expected] ?? { name: expected, write: "" };
  if (value === undefined) {
    return { why: "is missing", instead: `Add it. ${description}` };
  }
  if (value === "") {
    return { why: "is empty", instead: `${type.write} Or leave the line out.` };
  }
  if (expected === "string" && (typeof value === "number" || typeof value === "boolean")) {
    return { why: `is not text but a ${typeof value}`, instead: `Put it in quotes: "${value}".` };
  }
  return { why: `is not ${type.name}`, instead: type.write };
}

function oneOf(choices: readonly string[], value: unknown): Complaint {
  return {
    why: value === undefined ? "is missing" : "is not one of the choices",
    instead: `Write ${choices.join(" or ")}.`,
  };
}

/** Values of the key that tells the members of a union apart. */
function unionChoices(issue: z.core.$ZodIssueInvalidUnion): string[] {
  return "options" in issue ? (issue.options ?? []).map((choice) => String(choice)) : [];
}
