import { MediaError } from "./media-error.ts";
import { runMediaProgram } from "./media-program.ts";

/** Tens of gigabytes from a slow disk to itself. */
const timeoutSeconds = 2 * 3600;

/** Writes a disk as qcow2. @throws MediaError when it is no good. */
export async function convertDisk(source: string, format: string, disk: string): Promise<void> {
  const args = ["convert", "-f", format, "-O", "qcow2", "--", source, disk];
  const run = await runMediaProgram("qemu-img", args, timeoutSeconds);
  if (run.how !== "well") {
    throw new MediaError([
      {
        subject: source,
        why: `can't be converted: ${run.reason.split("\n")[0] ?? ""}`,
        instead: "It may be damaged or cut off: copy or export it again.",
      },
    ]);
  }
}
