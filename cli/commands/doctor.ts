import { examine } from "../doctor/examine.ts";
import { doctorText, isFine } from "../doctor/report.ts";
import { exitCodes } from "../failure.ts";

export interface DoctorOptions {
  readonly stack: string;
  /** Print JSON instead of text. */
  readonly json: boolean;
}

/**
 * `kindows doctor`: what this host has, what it lacks for the stack, and what labs left on it.
 *
 * @returns exit code 0 when nothing is in the way and nothing is left over, else 1.
 */
export async function doctor({ stack, json }: DoctorOptions): Promise<number> {
  const diagnosis = await examine(stack);
  const fine = isFine(diagnosis);
  process.stdout.write(
    json
      ? `${JSON.stringify({ fine, ...diagnosis }, undefined, 2)}\n`
      : `${doctorText(diagnosis)}\n`,
  );
  return fine ? exitCodes.ok : exitCodes.failed;
}
