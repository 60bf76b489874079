import { engineEnvironment, unwantedVariables } from "../engine/environment.ts";
import { ensureLocalState } from "../engine/local-state.ts";
import { exitCodes } from "../failure.ts";

/** `kindows env`: what a shell needs for plain `pulumi`, as shell commands for `eval`. */
export async function env(): Promise<number> {
  await ensureLocalState();
  const variables = engineEnvironment(process.env);
  const exports = Object.entries(variables).map(
    ([name, value]) => `export ${name}=${quote(value)}`,
  );
  const unsets = unwantedVariables.map((name) => `unset ${name}`);
  process.stdout.write(`${[...unsets, ...exports].join("\n")}\n`);
  return exitCodes.ok;
}

function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
