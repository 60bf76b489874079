import { readFileSync } from "node:fs";
import * as z from "zod";
import { messageOf } from "../../host/failure.ts";
import type { Variables } from "./host-action.ts";

/** A parameter that is a text, not JSON. */
export const text = z.string().min(1, "the text is empty");

const interval = 1000;

/**
 * Runs a host action to its end: result on stdout, progress and the one error line on stderr.
 *
 * @param environment its variables; its component is typed by them.
 * @param action its result is printed: a text unchanged, anything else as JSON.
 */
export async function runAction<V extends Variables>(
  environment: V,
  action: (given: { readonly [Name in keyof V]: z.output<V[Name]> }) => Promise<unknown>,
): Promise<void> {
  endWithCaller();
  try {
    const variables = Object.entries(environment);
    const given = variables.map(([name, schema]) => [name, parameter(name, schema)]);
    const result = await action(Object.fromEntries(given) as Parameters<typeof action>[0]);
    if (result !== undefined) {
      process.stdout.write(typeof result === "string" ? result : JSON.stringify(result));
    }
    await flushed(process.stdout);
    // Idle connections to a vanished API server would keep the process alive for minutes.
    process.exit(0);
  } catch (error) {
    say(`error: ${messageOf(error)}`);
    await flushed(process.stderr);
    process.exit(1);
  }
}

/** @throws naming the variable and all its problems, but never its value, which may contain a secret. */
function parameter(name: string, schema: z.ZodType): unknown {
  const given = process.env[name];
  if (given === undefined) throw new Error(`the environment variable ${name} is missing`);
  let value: unknown = given;
  if (!(schema instanceof z.ZodString)) {
    try {
      value = JSON.parse(given);
    } catch {
      throw new Error(`the environment variable ${name} is not JSON`);
    }
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((each) => `${each.path.join(".")}: ${each.message}`);
    throw new Error(`the environment variable ${name} is wrong: ${problems.join("; ")}`);
  }
  return parsed.data;
}

/** One progress line, with the seconds since the action started. */
export function say(line: string): void {
  process.stderr.write(`[${process.uptime().toFixed(1)} s] ${line}\n`);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write("", () => resolve()));
}

/**
 * Ends this process when its starter is killed: an action that lives on would interfere with the next run, which does not
 * know of it. The starter is the parent and, as that is a shell, its parent.
 */
function endWithCaller(): void {
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  setInterval(() => {
    if (process.ppid !== parent || parentOf(parent) !== grandparent) {
      process.stderr.write("error: the run that this belongs to is gone\n");
      process.exit(1);
    }
  }, interval).unref();
}

/** Parent of a process; undefined if it is gone, or if there is no /proc. */
function parentOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field, the program's name in brackets, may itself contain spaces and brackets.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  } catch {
    return undefined;
  }
}
