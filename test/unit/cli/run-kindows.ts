import { runKindows as runInProcess } from "../../../cli/command-line/kindows-program.ts";

/** How a command ended, and what it printed. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs a command of kindows in this process, with these variables, and ends it as `cli/main.ts` does. */
export async function runKindows(
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const ended: Ended = { code: 0, out: "", err: "" };
  const { stdout, stderr, exitCode } = process;
  const environment = { ...process.env };
  Object.assign(process.env, variables);
  stdout.write = (text) => Boolean((ended.out += String(text)));
  stderr.write = (text) => Boolean((ended.err += String(text)));
  try {
    ended.code = await runInProcess(args);
  } finally {
    // Those of the prototype come to light again.
    for (const stream of [stdout, stderr]) Reflect.deleteProperty(stream, "write");
    process.exitCode = exitCode;
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, environment);
  }
  return ended;
}
