import { distance } from "fastest-levenshtein";
import { z } from "zod";
import type { SettingsProblem } from "./problem.ts";
import { pathText } from "./problem.ts";

type Path = SettingsProblem["path"];

/** The schema inside defaults and optionality. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional
  ) {
    return bare(schema.def.innerType);
  }
  return schema;
}

/** Schemas of what may stand below `schema` at `key`; several where it is a union. */
function below(schema: z.core.$ZodType, key: string | number): z.core.$ZodType[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) {
    const child = (inner.shape as Record<string, z.core.$ZodType>)[String(key)];
    return child === undefined ? [] : [child];
  }
  if (inner instanceof z.ZodArray) {
    return [inner.element];
  }
  if (inner instanceof z.ZodUnion) {
    return inner.options.flatMap((option) => below(option, key));
  }
  return [];
}

/** Keys an object of `schema` may have. */
function keysOf(schema: z.core.$ZodType): string[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) {
    return Object.keys(inner.shape);
  }
  return inner instanceof z.ZodUnion ? [...new Set(inner.options.flatMap(keysOf))] : [];
}

/** Keys known at `path` of a schema. */
export function knownKeys(schema: z.core.$ZodType, path: Path): string[] {
  const schemas = path.reduce<z.core.$ZodType[]>(
    (parents, key) => parents.flatMap((parent) => below(parent, key)),
    [schema],
  );
  return [...new Set(schemas.flatMap(keysOf))];
}

/** The section of the settings, other than the one at `path`, that has the key `key` itself. */
function sectionWith(schema: z.core.$ZodType, path: Path, key: string): string | undefined {
  return knownKeys(schema, []).find(
    (section) => section !== path[0] && knownKeys(schema, [section]).includes(key),
  );
}

/** What to write instead of the unknown `key` at `path`: a key of another section, or the nearest known one here. */
export function insteadOfUnknown(schema: z.core.$ZodType, path: Path, key: string): string {
  const section = sectionWith(schema, path, key);
  if (section !== undefined) {
    return `Move it to ${pathText([section, key])}.`;
  }
  const known = knownKeys(schema, path);
  const nearest = known
    .map((candidate) => ({ candidate, cost: cost(key, candidate) }))
    .sort((one, other) => one.cost - other.cost)[0];
  if (nearest === undefined) {
    return "Leave it out.";
  }
  return `Did you mean ${pathText([...path, nearest.candidate])}? Known here: ${known.join(", ")}.`;
}

/** Editing distance, where a key that lacks only its beginning or end (`memory` for `memoryMiB`) is near. */
function cost(key: string, candidate: string): number {
  const [one, other] = [key.toLowerCase(), candidate.toLowerCase()];
  return other.startsWith(one) || one.startsWith(other) ? 0.5 : distance(one, other);
}
