import { distance } from "fastest-levenshtein";
import type * as z from "zod";
import type { Complaint, SettingsProblem } from "./problem.ts";
import { pathText } from "./problem.ts";
import { child, knownKeys, valueAt } from "./schema-paths.ts";

type Schema = z.core.$ZodType;
type Path = SettingsProblem["path"];

/** Why the unknown `key` at `path` can't be, and what to write: its keys one by one, that of another place, the nearest free one here. */
export function unknownKey(schema: Schema, written: unknown, path: Path, key: string): Complaint {
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
  const section = sectionWith(schema, written, path, key);
  if (section !== undefined) {
    return { why, instead: `Move it to ${pathText([section, key])}.` };
  }
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
