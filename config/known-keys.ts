import { distance } from "fastest-levenshtein";
import type { z } from "zod";
import type { SettingsProblem } from "./problem.ts";
import { pathText } from "./problem.ts";
import { child, knownKeys, valueAt } from "./schema-paths.ts";

type Schema = z.core.$ZodType;
type Path = SettingsProblem["path"];

/** What to write instead of the unknown `key` at `path`: the key of another section, or the nearest free one here. */
export function insteadOfUnknown(
  schema: Schema,
  written: unknown,
  path: Path,
  key: string,
): string {
  const section = sectionWith(schema, written, path, key);
  if (section !== undefined) {
    return `Move it to ${pathText([section, key])}.`;
  }
  const known = knownKeys(schema, written, path);
  const value = valueAt(written, path);
  const nearest = known
    .filter((candidate) => child(value, candidate) === undefined)
    .map((candidate) => ({ candidate, cost: cost(key, candidate) }))
    .filter((one) => one.cost <= Math.max(2, one.candidate.length / 2))
    .sort((one, other) => one.cost - other.cost)[0];
  const proposal =
    nearest === undefined
      ? "Leave it out."
      : `Did you mean ${pathText([...path, nearest.candidate])}?`;
  return `${proposal} Known here: ${known.join(", ")}.`;
}

/** The section of the settings, other than the one at `path`, that has the key `key` itself. */
function sectionWith(
  schema: Schema,
  written: unknown,
  path: Path,
  key: string,
): string | undefined {
  return knownKeys(schema, written, []).find(
    (section) => section !== path[0] && knownKeys(schema, written, [section]).includes(key),
  );
}

/** Editing distance, where a key that lacks only its beginning or end (`memory` for `memoryMiB`) is near. */
function cost(key: string, candidate: string): number {
  const [one, other] = [key.toLowerCase(), candidate.toLowerCase()];
  return other.startsWith(one) || one.startsWith(other) ? 0.5 : distance(one, other);
}
