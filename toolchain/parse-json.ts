import { readFile } from "node:fs/promises";
import type * as z from "zod";

import { Failure } from "../host/failure.ts";

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Content of a JSON file; undefined if it is missing, damaged, or of another form. */
export async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  return schema.safeParse(parseJson(await readFile(file, "utf8").catch(() => ""))).data;
}

/**
 * A value from outside, checked.
 *
 * @param what it is, for the error; and what to do then. The value itself is not shown, because it may be secret.
 * @throws Failure that also says where it is wrong.
 */
export function checked<T>(value: unknown, schema: z.ZodType<T>, what: string, instead: string): T {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  throw new Failure(`${what} is damaged (${firstProblem(error)}): ${instead}`);
}

/** Like `checked`, for a text in JSON. */
export function checkedJson<T>(
  text: string,
  schema: z.ZodType<T>,
  what: string,
  instead: string,
): T {
  const value = parseJson(text);
  if (value === undefined) throw new Failure(`${what} is damaged (it is not JSON): ${instead}`);
  return checked(value, schema, what, instead);
}

/** Where a value is wrong, and why, e.g. `nodes.0.name: expected string`. */
function firstProblem({ issues }: z.ZodError): string {
  const [{ path = [], message = "" } = {}] = issues;
  const why = message.replace(/^Invalid input: /, "").slice(0, 200);
  const place = path.map(String).join(".").slice(0, 200);
  return place === "" ? why : `${place}: ${why}`;
}
