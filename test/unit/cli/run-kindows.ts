import { runKindows as runInProcess } from "../../../cli/command-line/kindows-program.ts";

/** How a command ended, and what it printed. */
export interface Ended {
  code: number;
  out: string;
  err: string;
  /** What it printed last. */
  last: string;
}

/** Runs a command of kindows in this process, with these variables, and ends it as `cli/main.ts` does. */
export async function runKindows(
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const ended: Ended = { code: 0, out: "", err: "", last: "" };
  const { stdout, stderr, exitCode } = process;
  const environment = { ...process.env };
  Object.assign(process.env, variables);
  const keep = (stream: "out" | "err") => (text: string | Uint8Array) => {
    ended[stream] += String(text);
    ended.last = String(text);
    return true;
  };
  stdout.write = keep("out");
  stderr.write = keep("err");
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
