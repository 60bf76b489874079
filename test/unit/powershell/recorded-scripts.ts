/** Scripts with what a real PowerShell made of them, and what the interpreter makes of them. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newInterpreter } from "../../../powershell/console.ts";
import { shown } from "../../../powershell/cmdlets/objects.ts";
import { nodeHost } from "../../../powershell/node-host.ts";
import { Unsupported } from "../../../powershell/values.ts";

export interface Outcome {
  readonly output: string;
  readonly code: number;
  /** What the interpreter does not know, where it refused the script. */
  readonly refused?: string;
  readonly errors: string;
}

/** What was recorded beside a script. */
export function recorded(script: string): Outcome {
  return {
    output: readFileSync(script.replace(/\.ps1$/, ".out"), "utf8"),
    code: Number(readFileSync(script.replace(/\.ps1$/, ".code"), "utf8")),
    errors: "",
  };
}

/** Runs a script as it was recorded: with the arguments and the standard input that lie beside it. */
export async function run(script: string, edition: "Core" | "Desktop"): Promise<Outcome> {
  const beside = (ending: string) => {
    const file = script.replace(/\.ps1$/, ending);
    return existsSync(file) ? readFileSync(file) : undefined;
  };
  let output = "";
  let errors = "";
  const host = nodeHost({
    output: (text) => {
      output += text;
    },
    error: (text) => {
      errors += text;
    },
    input: () => Promise.resolve(beside(".stdin") ?? Buffer.alloc(0)),
    folder: dirname(script),
  });
  const args = (beside(".args")?.toString("utf8") ?? "").split("\n").slice(0, -1);
  try {
    const code = await newInterpreter(host, { edition }).runFile(join(script), args, (value) => {
      output += shown(value);
      return Promise.resolve();
    });
    return { output, code, errors };
  } catch (error) {
    if (error instanceof Unsupported) {
      return { output, code: -1, refused: error.message, errors };
    }
    throw error;
  }
}
