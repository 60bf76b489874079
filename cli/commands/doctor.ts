import { examine } from "../doctor/examine.ts";
import { doctorText, isFine } from "../doctor/report.ts";
import type { Options } from "../command-line/options.ts";
import { exitCodes } from "../../host/failure.ts";
import { say } from "../progress.ts";
import { findLab } from "../stack-settings.ts";

export type DoctorOptions = Options<"json" | "fix">;

/**
 * `kindows doctor`: shows what this host has, what it lacks for the stack, what is stopped in its lab, and orphans of
 * other labs.
 *
 * @returns exit code 0 without problems and orphans, else 1.
 */
export async function doctor(options: DoctorOptions): Promise<number> {
  const { stack, json, fix } = options;
  if ((await findLab(stack)) === undefined) {
    return (await import("../machines-made/doctor.ts")).doctor(options);
  }
  if (fix) {
    await (await import("../doctor/fix.ts")).fix(stack, say);
  }
  const diagnosis = await examine(stack);
  const fine = isFine(diagnosis);
  process.stdout.write(
    json
      ? `${JSON.stringify({ fine, ...diagnosis }, undefined, 2)}\n`
      : `${doctorText(diagnosis)}\n`,
  );
  return fine ? exitCodes.ok : exitCodes.failed;
}
