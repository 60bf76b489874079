import { type StepContext, StepError } from "../step.ts";

const remedy =
  "Copy the right file there, or have it pushed again: `pulumi up --replace` with the URN of the " +
  "resource that pushes it to this machine.";

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
