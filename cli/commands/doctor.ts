import { examine } from "../doctor/examine.ts";
import { doctorText, isFine } from "../doctor/report.ts";
import type { Options } from "../command-line/options.ts";
import { exitCodes } from "../../host/failure.ts";
import { findLab } from "../stack-settings.ts";

/** `kindows doctor`: reports problems, stopped parts and leftovers. Exit code 0 if there is nothing to do. */
export async function doctor({ stack, json, fix }: Options<"json" | "fix">): Promise<number> {
  const isLab = (await findLab(stack)) !== undefined;
  if (isLab && fix) await (await import("../doctor/fix.ts")).fix(stack);
  const diagnosis = isLab
    ? await examine(stack)
    : await (await import("../machines-made/doctor.ts")).diagnoseMade(stack, fix);
  const fine = isFine(diagnosis);
  const text = json ? JSON.stringify({ fine, ...diagnosis }, undefined, 2) : doctorText(diagnosis);
  process.stdout.write(`${text}\n`);
  return fine ? exitCodes.ok : exitCodes.failed;
}
