import type * as z from "zod";
import { pathText, SettingsError, type Check, type SettingsProblem } from "./problem.ts";
import { metaAt, valueAt } from "./schema-paths.ts";
import { shapeProblems } from "./shape-problems.ts";

type Path = SettingsProblem["path"];

interface Rules<Written, Named> {
  readonly schema: z.ZodType<Written> & { readonly shape: Readonly<Record<string, unknown>> };
  /** Fills in values that the checks need and that have no default in the schema. */
  readonly named: (written: Written) => Named;
  readonly checks: readonly Check<Named>[];
}

interface ReportOptions {
  readonly file: string;
  /** Mistakes outside the sections, which are reported first. */
  readonly others: readonly SettingsProblem[];
  /** Settings whose value could not be found out, e.g. `network.cidr`: checks that read them are skipped. Default: none. */
  readonly unknown?: readonly string[];
  /** Removes secrets from a problem before it is reported. Default: nothing is removed. */
  readonly redact?: (problem: SettingsProblem) => SettingsProblem;
}

/** Parses and checks the written sections. @throws SettingsError with all mistakes, in the order of the schema. */
export function checkedSettings<Written, Named>(
  { schema, named, checks }: Rules<Written, Named>,
  written: Readonly<Record<string, unknown>>,
  { file, others, unknown = [], redact = (problem) => problem }: ReportOptions,
): Named {
  const parsed = schema.safeParse(written);
  const broken = parsed.success ? [] : shapeProblems(schema, written, parsed.error.issues);
  const settings = named(parsed.success ? parsed.data : repaired(schema, written));
  const brokenPaths = [
    ...broken.map(({ path }) => pathText(path)),
    ...unknown.map((path) => `kindows:${path}`),
  ];
  const isBroken = (read: string): boolean =>
    brokenPaths.some((one) => read === one || read.startsWith(`${one}.`));
  const found = checks
    .filter(({ reads = [] }) => !reads.some((path) => isBroken(`kindows:${path}`)))
    .flatMap((check) => check.run(settings, file))
    .map((problem) => ({ value: shownAt(settings, problem.path), ...problem }))
    // An invalid value was removed, so checks report it as missing; it is reported as invalid already.
    .filter(({ path }) => !(isWhole(path) && broken.some((one) => isBelow(one.path, path))));
  const problems = [...others, ...inOrder([...broken, ...found], Object.keys(schema.shape))];
  if (problems.length > 0) throw new SettingsError(problems.map(redact), file);
  return settings;
}

/** The value to show; undefined for a group of settings, because only a part of the group is wrong or missing. */
function shownAt(settings: unknown, path: Path): unknown {
  const value = valueAt(settings, path);
  return typeof value === "object" && !Array.isArray(value) ? undefined : value;
}

function isBelow(path: Path, ancestor: Path): boolean {
  return ancestor.every((key, index) => path[index] === key);
}

/** Whether the path is that of a whole entry or group, whose problem is redundant if a part of it is invalid. */
function isWhole(path: Path): boolean {
  return typeof path.at(-1) === "number" || path.at(-1) === "kubeconfig";
}

function inOrder(
  problems: readonly SettingsProblem[],
  sections: readonly string[],
): SettingsProblem[] {
  const rank = ({ path }: SettingsProblem): number => {
    const index = sections.indexOf(String(path[0]));
    return index < 0 ? sections.length : index;
  };
  return [...problems].sort((one, other) => rank(one) - rank(other));
}

type Container = Record<string | number, unknown>;

/** More than the settings have levels: each round removes the groups that the one before it left incomplete. */
const maxRounds = 10;

/**
 * The settings without the values that the schema refuses, so that the checks can find more problems in the same run.
 * A required value is replaced by its placeholder in the schema, because removing a whole list entry would shift the
 * indexes that later problems name.
 */
function repaired<T>(schema: z.ZodType<T>, written: unknown): T {
  const copy: unknown = structuredClone(written);
  for (let round = 0; round < maxRounds; round++) {
    const result = schema.safeParse(copy);
    if (result.success) return result.data;
    // In reverse order, as removing an entry of a list moves the following ones.
    for (const issue of result.error.issues.toReversed()) {
      const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
      if (issue.code === "unrecognized_keys") {
        issue.keys.forEach((key) => Reflect.deleteProperty(valueAt(copy, path) as object, key));
      } else {
        takeOut(schema, copy, path);
      }
    }
  }
  throw new Error("the settings' schema refuses even its own defaults");
}

/** Removes the value at `path`; if it is missing, removes its parent. */
function takeOut(schema: z.core.$ZodType, root: unknown, path: Path): void {
  const key = path.at(-1);
  const parent = valueAt(root, path.slice(0, -1));
  if (key === undefined || typeof parent !== "object" || parent === null) return;
  const { placeholder } = metaAt(schema, root, path);
  const container = parent as Container;
  if (placeholder !== undefined) {
    container[key] = placeholder(path.findLast((one) => typeof one === "number") ?? 0);
  } else if (Array.isArray(parent) && metaAt(schema, root, [...path, "name"]).placeholder) {
    container[key] = {};
  } else if (Array.isArray(parent)) {
    parent.splice(Number(key), 1);
  } else if (key in container) {
    delete container[key];
  } else {
    takeOut(schema, root, path.slice(0, -1));
  }
}
