import { shellWord } from "../../host/shell-word.ts";
import { engineEnvironment, unwantedVariables } from "../engine/environment.ts";
import { ensureLocalState } from "../engine/folders.ts";
import { exitCodes } from "../../host/failure.ts";

/** `kindows env`: what a shell needs for plain `pulumi` on a stack, as shell commands for `eval`. */
export async function env({ stack }: { readonly stack: string }): Promise<number> {
  await ensureLocalState();
  // Without the last one it would be the stack that was made or selected last, whichever that is.
  const variables = { ...engineEnvironment(process.env), PULUMI_STACK: stack };
  const exports = Object.entries(variables).map(
    ([name, value]) => `export ${name}=${shellWord(value)}`,
  );
  const unsets = unwantedVariables.map((name) => `unset ${name}`);
  process.stdout.write(`${[...unsets, ...exports].join("\n")}\n`);
  return exitCodes.ok;
}
