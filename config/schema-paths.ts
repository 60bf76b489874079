import * as z from "zod";
import type { SettingsProblem } from "./problem.ts";

type Schema = z.core.$ZodType;
type Path = SettingsProblem["path"];

function isWrapper(schema: Schema): schema is z.ZodDefault | z.ZodPrefault | z.ZodOptional {
  return (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional
  );
}

/** The schema without defaults and optionality. */
export function bare(schema: Schema): Schema {
  return isWrapper(schema) ? bare(schema.def.innerType) : schema;
}

/**
 * The object schemas that `schema` allows; more than one only if it is a union and `value` has no valid discriminator.
 */
function objects(schema: Schema, value: unknown): z.ZodObject[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) return [inner];
  if (inner instanceof z.ZodDiscriminatedUnion) {
    const members = inner.options.flatMap((option) => objects(option, value));
    const key = inner.def.discriminator;
    const decided = members.filter((member) => {
      const choice = shapeOf(member)[key];
      return choice !== undefined && z.safeParse(choice, child(value, key)).success;
    });
    return decided.length > 0 ? decided : members;
  }
  return [];
}

/** Adds the type, because zod leaves the shape of an unknown object untyped. */
function shapeOf(object: z.ZodObject): Readonly<Record<string, Schema>> {
  return object.shape;
}

export function child(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
}

export function valueAt(written: unknown, path: Path): unknown {
  return path.reduce<unknown>(child, written);
}

export function schemasAt(schema: Schema, written: unknown, path: Path): Schema[] {
  const [key, ...rest] = path;
  if (key === undefined) return [schema];
  const inner = bare(schema);
  if (inner instanceof z.ZodArray) return schemasAt(inner.element, child(written, key), rest);
  return objects(inner, written)
    .map((object) => shapeOf(object)[String(key)])
    .filter((below) => below !== undefined)
    .flatMap((below) => schemasAt(below, child(written, key), rest));
}

export function knownKeys(schema: Schema, written: unknown, path: Path): string[] {
  const value = valueAt(written, path);
  const keys = schemasAt(schema, written, path)
    .flatMap((one) => objects(one, value))
    .flatMap((object) => Object.keys(object.shape));
  return [...new Set(keys)];
}

export interface SettingMeta {
  readonly description?: string;
  readonly unit?: string;
  /** The default in words, if it depends on other settings. */
  readonly default?: string;
  /** Makes a placeholder for an invalid value while the rest is checked; `index` is that of its list entry. */
  readonly placeholder?: (index: number) => unknown;
}

export function metaOf(schema: Schema): SettingMeta {
  const own = z.globalRegistry.get(schema);
  return isWrapper(schema) ? { ...metaOf(schema.def.innerType), ...own } : { ...own };
}

export function metaAt(schema: Schema, written: unknown, path: Path): SettingMeta {
  const found = schemasAt(schema, written, path)[0];
  return found === undefined ? {} : metaOf(found);
}
