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

interface Surroundings {
  readonly file: string;
  /** Mistakes outside of the sections, which are reported first. */
  readonly others: readonly SettingsProblem[];
  readonly veiled?: (problem: SettingsProblem) => SettingsProblem;
}

/** The settings in the sections as written. @throws SettingsError with all mistakes, section by section as in the schema. */
export function checkedSettings<Written, Named>(
  { schema, named, checks }: Rules<Written, Named>,
  written: Readonly<Record<string, unknown>>,
  { file, others, veiled = (problem) => problem }: Surroundings,
): Named {
  const parsed = schema.safeParse(written);
  const broken = parsed.success ? [] : shapeProblems(schema, written, parsed.error.issues);
  const settings = named(parsed.success ? parsed.data : repaired(schema, written));
  const brokenPaths = broken.map(({ path }) => pathText(path));
  const isBroken = (read: string): boolean =>
    brokenPaths.some((one) => read === one || read.startsWith(`${one}.`));
  const crossed = checks
    .filter(({ reads = [] }) => !reads.some((path) => isBroken(`kindows:${path}`)))
    .flatMap((check) => check.run(settings, file))
    .map((problem) => ({ value: shownAt(settings, problem.path), ...problem }))
    // What was removed as invalid is missing now, but it is reported as invalid.
    .filter(({ path }) => !(isWhole(path) && broken.some((one) => isBelow(one.path, path))));
  const problems = [...others, ...inOrder([...broken, ...crossed], Object.keys(schema.shape))];
  if (problems.length > 0) throw new SettingsError(problems.map(veiled), file);
  return settings;
}

/** Nothing is shown of a group of settings: only a part of it is wrong, or missing. */
function shownAt(settings: unknown, path: Path): unknown {
  const value = valueAt(settings, path);
  return typeof value === "object" && !Array.isArray(value) ? undefined : value;
}

function isBelow(path: Path, place: Path): boolean {
  return place.every((key, index) => path[index] === key);
}

/** A problem of a whole entry or group is redundant if a part of it is invalid. */
function isWhole(path: Path): boolean {
  return typeof path.at(-1) === "number" || path.at(-1) === "kubeconfig";
}

function inOrder(
  problems: readonly SettingsProblem[],
  sections: readonly string[],
): SettingsProblem[] {
  const rank = ({ path }: SettingsProblem): number => {
    const place = sections.indexOf(String(path[0]));
    return place < 0 ? sections.length : place;
  };
  return [...problems].sort((one, other) => rank(one) - rank(other));
}

type Container = Record<string | number, unknown>;

/** More rounds than the settings have levels: a value, then what it left incomplete, and so on up. */
const maxRounds = 10;

/**
 * The settings without whatever the schema refuses, only to find more problems in the same go. Values without which a
 * greater whole would have to go have a placeholder in the schema: places in lists must stay, as later problems name them.
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
    const place = path.findLast((one) => typeof one === "number") ?? 0;
    container[key] = placeholder(place);
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
