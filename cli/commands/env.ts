import { shellWord } from "../../host/shell-word.ts";
import { engineEnvironment, unwantedVariables } from "../engine/environment.ts";
import { ensureLocalState } from "../engine/folders.ts";
import type { Options } from "../command-line/options.ts";

/** `kindows env`: prints shell commands for `eval` that set up plain `pulumi` for a stack. */
export async function env({ stack }: Options): Promise<void> {
  await ensureLocalState();
  // Without the last variable, Pulumi would use the stack that was created or selected last.
  const variables = { ...engineEnvironment(process.env), PULUMI_STACK: stack };
  const exports = Object.entries(variables).map(
    ([name, value]) => `export ${name}=${shellWord(value)}`,
  );
  const unsets = unwantedVariables.map((name) => `unset ${name}`);
  process.stdout.write(`${[...unsets, ...exports].join("\n")}\n`);
}
