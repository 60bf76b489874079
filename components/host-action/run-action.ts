import { readFileSync } from "node:fs";
import * as z from "zod";
import { messageOf } from "../../host/failure.ts";
import { withoutControls } from "../../host/without-controls.ts";
import type { Variables } from "./host-action.ts";

/** Schema of a variable that holds plain text, not JSON. */
export const text = z.string().min(1, "the text is empty");

const checkMilliseconds = 1000;

/**
 * Runs a host action and ends the process. The result goes to stdout, progress and a final error line to stderr.
 *
 * @param environment schemas of the variables that the action reads.
 * @param action returns the result: a string is printed unchanged, anything else as JSON.
 */
export async function runAction<V extends Variables>(
  environment: V,
  action: (parameters: { readonly [Name in keyof V]: z.output<V[Name]> }) => Promise<unknown>,
): Promise<void> {
  endWithCaller();
  try {
    const variables = Object.entries(environment);
    const parameters = variables.map(([name, schema]) => [name, parameter(name, schema)]);
    const result = await action(Object.fromEntries(parameters) as Parameters<typeof action>[0]);
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

/** @throws an error that names the variable and its problems, but not its value, which may contain a secret. */
function parameter(name: string, schema: z.ZodType): unknown {
  const text = process.env[name];
  if (text === undefined) throw new Error(`the environment variable ${name} is missing`);
  let value: unknown = text;
  if (!(schema instanceof z.ZodString)) {
    try {
      value = JSON.parse(text);
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

/** Prints a progress line, with the seconds since the action started. */
export function say(line: string): void {
  process.stderr.write(`[${process.uptime().toFixed(1)} s] ${withoutControls(line)}\n`);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write("", () => resolve()));
}

/**
 * Ends this process when the run that started it is killed. Otherwise the action would go on and interfere with the
 * next run. The parent is a shell, so the grandparent is watched too.
 */
function endWithCaller(): void {
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  setInterval(() => {
    if (process.ppid !== parent || parentOf(parent) !== grandparent) {
      process.stderr.write("error: the run that started this action has ended\n");
      process.exit(1);
    }
  }, checkMilliseconds).unref();
}

/** Process id of a process's parent; undefined if the process is gone or there is no /proc. */
function parentOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field, the program's name in parentheses, may itself contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  } catch {
    return undefined;
  }
}
