import { examine } from "../doctor/examine.ts";
import { doctorText, isFine } from "../doctor/report.ts";
import type { CommandResult, Options } from "../command-line/options.ts";
import { print } from "../progress.ts";
import { findLab } from "../stack-settings.ts";

/** `kindows doctor`: reports problems, stopped parts and leftovers. Exit code 0 if there is nothing to do. */
export async function doctor({
  stack,
  json,
  fix,
}: Options<"json" | "fix">): Promise<CommandResult> {
  const isLab = (await findLab(stack)) !== undefined;
  if (isLab && fix) await (await import("../doctor/fix.ts")).fix(stack);
  const diagnosis = isLab
    ? await examine(stack)
    : await (await import("../doctor/made-machines.ts")).diagnoseMade(stack, fix);
  const fine = isFine(diagnosis);
  const text = json ? JSON.stringify({ fine, ...diagnosis }, undefined, 2) : doctorText(diagnosis);
  print(text);
  return fine ? undefined : "something needs attention (see above)";
}
