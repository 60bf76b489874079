import type * as z from "zod";
import { pathText, SettingsError, type Check, type SettingsProblem } from "./problem.ts";
import { repaired } from "./repair.ts";
import { shapeProblems } from "./shape-problems.ts";

type Path = SettingsProblem["path"];

/** What the settings of one kind of stack have to be like. */
interface Rules<Written, Named> {
  readonly schema: z.ZodType<Written> & { readonly shape: Readonly<Record<string, unknown>> };
  /** Fills in what the checks look at, and the schema has no default for. */
  readonly named: (written: Written) => Named;
  /** In the order their problems are told. */
  readonly checks: readonly Check<Named>[];
}

/** What surrounds the sections. */
interface Surroundings {
  /** Name of the stack's settings. */
  readonly file: string;
  /** Mistakes around the sections, to be told first. */
  readonly others: readonly SettingsProblem[];
  /** What may be told of a problem. Default: all of it. */
  readonly veiled?: (problem: SettingsProblem) => SettingsProblem;
}

/**
 * The settings in the sections as written.
 *
 * @throws SettingsError with every mistake there is: those around the sections, then section by section in the order the
 * schema has them; within a section as found.
 */
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
    .filter(({ reads }) => !reads.some((path) => isBroken(`kindows:${path}`)))
    .flatMap((check) => check.run(settings, file))
    // What was taken out as broken is missing now; it is told as broken.
    .filter(({ path }) => !(isWhole(path) && broken.some((one) => isBelow(one.path, path))));
  const problems = [...others, ...inOrder([...broken, ...crossed], Object.keys(schema.shape))];
  if (problems.length > 0) {
    throw new SettingsError(problems.map(veiled), file);
  }
  return settings;
}

/** Whether `path` is at `place` or below. */
function isBelow(path: Path, place: Path): boolean {
  return place.every((key, index) => path[index] === key);
}

/** Of a whole entry or group a problem says nothing new where a part of it is broken. */
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
