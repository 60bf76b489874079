import { CommanderError } from "commander";

import { kindowsProgram } from "../../../cli/command-line/kindows-program.ts";
import { Failure, exitCodes, messageOf } from "../../../host/failure.ts";

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
    await kindowsProgram().parseAsync(args, { from: "user" });
    ended.code = Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    if (error instanceof CommanderError) {
      ended.code = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    } else {
      ended.code = error instanceof Failure ? error.exitCode : exitCodes.failed;
      ended.err += `kindows: ${messageOf(error)}\n`;
    }
  } finally {
    // Those of the prototype come to light again.
    for (const stream of [stdout, stderr]) Reflect.deleteProperty(stream, "write");
    process.exitCode = exitCode;
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, environment);
  }
  return ended;
}
