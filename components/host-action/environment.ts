import type * as z from "zod";

/**
 * Reads an action's one JSON parameter from an environment variable.
 *
 * @throws naming the variable and each thing that is wrong with it, never its value: it may hold a secret.
 */
export function parameter<T>(name: string, schema: z.ZodType<T>): T {
  const text = process.env[name];
  if (text === undefined) {
    throw new Error(`the environment variable ${name} is missing`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`the environment variable ${name} is not JSON`);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((each) => `${each.path.join(".")}: ${each.message}`);
    throw new Error(`the environment variable ${name} is wrong: ${problems.join("; ")}`);
  }
  return parsed.data;
}

/** A text parameter of an action. */
export function textParameter(name: string): string {
  const text = process.env[name];
  if (!text) {
    throw new Error(`the environment variable ${name} is missing`);
  }
  return text;
}
