import { statSync } from "node:fs";
import * as z from "zod";
import type { HostProblem } from "../../config/host-problem.ts";
import { unless } from "../../config/problem.ts";
import { diskFault, isOverlay } from "../../toolchain/disk-format.ts";
import { MediaError, runMediaProgram } from "./media-program.ts";

const infoSchema = z
  .object({
    format: z.string(),
    "virtual-size": z.number(),
    "actual-size": z.number(),
    "backing-filename": z.string().optional(),
    encrypted: z.boolean().default(false),
    "format-specific": z
      .object({ data: z.object({ corrupt: z.boolean().optional() }).optional() })
      .optional(),
  })
  .transform((info) => ({
    /** qemu-img's name for it: `qcow2`, `vpc` (VHD), `vhdx`, `raw`. */
    format: info.format,
    /** Size of the disk that a machine sees. */
    virtualGiB: info["virtual-size"] / 1024 ** 3,
    /** Size of the file. */
    actualGiB: info["actual-size"] / 1024 ** 3,
    backing: info["backing-filename"],
    encrypted: info.encrypted,
    corrupt: info["format-specific"]?.data?.corrupt ?? false,
  }));

type DiskFacts = z.output<typeof infoSchema>;

const timeoutSeconds = 60;

/** Requirements for a disk. */
export interface WantedDisk {
  readonly formats: readonly string[];
  /** Names of the formats, e.g. `qcow2, VHD or VHDX`. */
  readonly called: string;
  /** Text for a wrong format, between "is" and ", but". */
  readonly isNone: string;
  readonly minimumGiB: number;
  readonly tooSmall: { readonly why: string; readonly instead: string };
}

/** Examines a user's disk. Throws MediaError with all its problems. */
export async function examineDisk(path: string, wanted: WantedDisk): Promise<DiskFacts> {
  const fault = faultOf(path);
  if (fault !== undefined) {
    const instead = "Make a full copy where it is whole: qemu-img convert -O qcow2 OLD NEW.";
    throw new MediaError({ subject: path, why: fault, instead });
  }
  const args = ["info", "--output=json", "--", path];
  const run = await runMediaProgram("qemu-img", args, timeoutSeconds);
  if (run.how !== "well") {
    const error = run.stderr.trim().split("\n")[0] ?? "";
    throw new MediaError({
      subject: path,
      why: `can't be examined: ${error}`,
      instead: `Write the path of a ${wanted.called} image you may read.`,
    });
  }
  const facts = infoSchema.parse(JSON.parse(run.stdout));
  const problems = check(path, facts, wanted);
  if (problems.length > 0) throw new MediaError(...problems);
  return facts;
}

/** What cannot be read, or is an overlay, is qemu-img's to report; but it would wait for a pipe. */
function faultOf(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) return "is not a regular file";
  try {
    const fault = diskFault(path);
    return fault === isOverlay ? undefined : fault;
  } catch {
    return undefined;
  }
}

function check(
  subject: string,
  { format, virtualGiB, backing, encrypted, corrupt }: DiskFacts,
  { formats, isNone, minimumGiB, tooSmall }: WantedDisk,
): HostProblem[] {
  return [
    ...unless(formats.includes(format), {
      why: `is ${isNone}, but ${format}`,
      instead: "Convert it: qemu-img convert -O qcow2 OLD NEW.",
    }),
    ...unless(backing === undefined, {
      why: `is an overlay of another image, ${backing}, which may change`,
      instead: "Make a full copy: qemu-img convert -O qcow2 OLD NEW.",
    }),
    ...unless(!encrypted, { why: "is encrypted", instead: "Use a disk that is not." }),
    ...unless(!corrupt, {
      why: "is marked as corrupt",
      instead: "Check it: qemu-img check FILE. Better, use an older copy.",
    }),
    ...unless(virtualGiB >= minimumGiB, {
      why: `is a disk of ${virtualGiB.toFixed(1)} GiB, ${tooSmall.why}`,
      instead: tooSmall.instead,
    }),
  ].map((problem) => ({ subject, ...problem }));
}
