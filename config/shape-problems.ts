import { distance } from "fastest-levenshtein";
import * as z from "zod";
import { pathText, type Complaint, type SettingsProblem } from "./problem.ts";
import { child, knownKeys, metaAt, schemasAt, valueAt } from "./schema-paths.ts";
import type { SettingMeta } from "./schema-paths.ts";
import { insteadParam } from "./values/value.ts";

type Schema = z.core.$ZodType;
type Path = SettingsProblem["path"];
type Issue = z.core.$ZodIssue;

/** Name of each type, and how to write a value of it. */
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

export function shapeProblems(
  schema: Schema,
  written: unknown,
  issues: readonly Issue[],
): SettingsProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
    const value = valueAt(written, path);
    if (!isUseful(issue, value)) return [];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: [...path, key],
        value: valueAt(value, [key]),
        ...unknownKey(schema, written, path, key),
      }));
    }
    const meta = metaAt(schema, written, path);
    const found = schemasAt(schema, written, path)[0];
    const leaveOut = mayBeLeftOut(found, path) ? " Or leave the line out." : "";
    if (issue.code === "invalid_key") {
      const key = path.at(-1) ?? "";
      return issue.issues.map((inner) => ({
        path: path.slice(0, -1),
        value: key,
        ...complaint(inner, key, meta, leaveOut),
      }));
    }
    return [
      {
        path,
        value,
        ...(notQuoted(found, issue, value) ?? complaint(issue, value, meta, leaveOut)),
      },
    ];
  });
}

/**
 * For a very large number zod reports a loss of precision in addition to the exceeded maximum, and for a text in place of a list
 * also the text's length.
 */
function isUseful(issue: Issue, value: unknown): boolean {
  return !(
    (issue.code === "too_big" && issue.maximum === Number.MAX_SAFE_INTEGER) ||
    (issue.code === "too_small" && issue.minimum === Number.MIN_SAFE_INTEGER) ||
    (issue.code === "too_big" && typeof value === "string")
  );
}

/** Whether the settings stay valid without the value at `path`. */
function mayBeLeftOut(found: Schema | undefined, path: SettingsProblem["path"]): boolean {
  return (
    typeof path.at(-1) === "number" ||
    (found !== undefined && z.safeParse(found, undefined).success)
  );
}

function notQuoted(found: Schema | undefined, issue: Issue, value: unknown): Complaint | undefined {
  if (
    issue.code !== "invalid_type" ||
    issue.expected !== "string" ||
    (typeof value !== "number" && typeof value !== "boolean")
  ) {
    return undefined;
  }
  const why = `is not text but a ${typeof value}`;
  const inner = found && z.safeParse(found, String(value)).error?.issues[0];
  if (inner?.code === "custom") {
    const checked = complaint(inner, value, {}, "");
    return { why: `${why}, and as text it ${checked.why}`, instead: checked.instead };
  }
  return { why, instead: `Put it in quotes: "${value}".` };
}

function complaint(issue: Issue, value: unknown, meta: SettingMeta, leaveOut: string): Complaint {
  const unit = meta.unit === undefined ? "" : ` (${meta.unit})`;
  switch (issue.code) {
    case "custom": {
      const instead: unknown = issue.params?.[insteadParam];
      return { why: issue.message, instead: typeof instead === "string" ? instead : "" };
    }
    case "invalid_type":
      return (
        empty(issue.expected, value, meta, leaveOut) ?? wrongType(issue.expected, value, meta, unit)
      );
    case "too_small":
      return {
        why: `is less than ${issue.minimum}`,
        // The description names the higher minimum that some systems have.
        instead: `Write ${issue.minimum} or more${unit}. ${meta.description ?? ""}`.trim(),
      };
    case "too_big":
      if (issue.origin === "array") {
        const most = String(issue.maximum);
        return { why: `has more than ${most} entries`, instead: `Keep at most ${most}.` };
      }
      return {
        why: `is more than ${issue.maximum}`,
        instead: `Write ${issue.maximum} or less${unit}.`,
      };
    case "invalid_value":
      return oneOf(issue.values.map(String), value, leaveOut);
    case "invalid_union": {
      const choices = "options" in issue ? (issue.options ?? []).map(String) : [];
      if (choices.length > 0) return oneOf(choices, value, leaveOut);
      const names = issue.errors
        .flat()
        .flatMap((one) =>
          one.code === "invalid_type" ? [types[one.expected]?.name ?? one.expected] : [],
        );
      return { why: `is not ${names.join(" or ")}`, instead: "Write one value, on the same line." };
    }
    case "invalid_key":
    case "invalid_element":
    case "invalid_format":
    case "not_multiple_of":
    case "unrecognized_keys":
      return { why: issue.message, instead: "See docs/settings.md." };
  }
}

function empty(
  expected: string,
  value: unknown,
  { description = "" }: SettingMeta,
  leaveOut: string,
): Complaint | undefined {
  if (value !== "" && value !== null) return undefined;
  const write = expected === "string" ? `Write text: ${description}` : types[expected]?.write;
  return { why: "is empty", instead: `${write ?? "Write a value."}${leaveOut}` };
}

function wrongType(
  expected: string,
  value: unknown,
  { description = "" }: SettingMeta,
  unit: string,
): Complaint {
  const type = types[expected] ?? { name: expected, write: "" };
  if (value === undefined) return { why: "is missing", instead: `Add it. ${description}` };
  if (isEncrypted(value)) {
    return {
      why: "is encrypted, so the engine can read it, but the commands of kindows can't",
      instead: "Write the value unencrypted, in a file that only you can read.",
    };
  }
  if (expected === "string") return { why: "is not text", instead: `Write text: ${description}` };
  if (expected === "number" && typeof value === "number") {
    return { why: "is not a finite number", instead: `Write a whole number${unit}.` };
  }
  if (expected === "number") {
    return typeof value === "string" && /^[0-9]+$/.test(value)
      ? { why: "is text, not a number", instead: `Remove its quotes: ${value}.` }
      : { why: "is not a number", instead: `Write a whole number without quotes${unit}.` };
  }
  return { why: `is not ${type.name}`, instead: type.write };
}

/** Whether the value has the form that `pulumi config set --secret` writes. */
function isEncrypted(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "secure" in value &&
    Object.keys(value).length === 1
  );
}

function oneOf(choices: readonly string[], value: unknown, leaveOut: string): Complaint {
  const instead = `Write ${choices.join(" or ")}.`;
  if (value === undefined) return { why: "is missing", instead };
  if (value === null || value === "") return { why: "is empty", instead: `${instead}${leaveOut}` };
  return typeof value === "string" && choices.includes(value)
    ? { why: "is text, not a number", instead: `Remove its quotes: ${value}.` }
    : { why: "is not one of the choices", instead };
}

/**
 * Proposes what to write for an unknown key: nested keys instead of a dotted one, the same key in the group or section
 * that has it, or the most similar key of `path` that is not set yet.
 */
function unknownKey(schema: Schema, written: unknown, path: Path, key: string): Complaint {
  const known = knownKeys(schema, written, path);
  const [group = "", ...rest] = key.split(".");
  if (rest.length > 0 && known.includes(group)) {
    return {
      why: "is written as one key",
      instead: `Write \`${path.length === 0 ? "kindows:" : ""}${group}:\`, and \`${rest.join(".")}:\` indented below it.`,
    };
  }
  const why = "is not a setting";
  const below = known.filter((one) => knownKeys(schema, written, [...path, one]).includes(key));
  if (below.length === 1 && path.length > 0) {
    return { why, instead: `Move it to ${pathText([...path, ...below, key])}.` };
  }
  // Another section that has this key.
  const section = knownKeys(schema, written, []).find(
    (one) => one !== path[0] && knownKeys(schema, written, [one]).includes(key),
  );
  if (section !== undefined) return { why, instead: `Move it to ${pathText([section, key])}.` };
  const value = valueAt(written, path);
  const nearest = known
    .filter((candidate) => child(value, candidate) === undefined)
    .map((candidate) => ({ candidate, cost: cost(key, candidate) }))
    .filter((one) => one.cost <= Math.max(2, one.candidate.length / 3))
    .sort((one, other) => one.cost - other.cost)[0];
  const proposal =
    nearest === undefined
      ? "Leave it out."
      : `Did you mean ${pathText([...path, nearest.candidate])}?`;
  return { why, instead: `${proposal} Known here: ${known.join(", ")}.` };
}

/** Edit distance, but small if one key is the beginning of the other (`memory` and `memoryMiB`). */
function cost(key: string, candidate: string): number {
  const [one, other] = [key.toLowerCase(), candidate.toLowerCase()];
  return other.startsWith(one) || one.startsWith(other) ? 0.5 : distance(one, other);
}
