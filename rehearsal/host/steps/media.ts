import type { StepContext } from "../step.ts";
import { StepError } from "../step-error.ts";

const remedy =
  "Run `./kindows up`: it has what was pushed to the machine pushed again. What its image carries, copy " +
  "there by hand.";

/** Fails unless the file lies on the machine with this checksum: carried by its image, or pushed there. */
export async function assertMedium(
  { host }: StepContext,
  path: string,
  sha256: string,
): Promise<void> {
  const actual = await host.drive.sha256(path);
  const wanted = sha256.toLowerCase();
  if (actual === undefined) {
    throw new StepError("MediumMissing", `${path} is not there.`, remedy);
  }
  if (actual !== wanted) {
    const found = `${path} has the SHA-256 ${actual}, expected was ${wanted}.`;
    throw new StepError("ChecksumMismatch", found, remedy);
  }
}
