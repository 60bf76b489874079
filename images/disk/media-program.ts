import { Failure } from "../../host/failure.ts";
import { type HostProblem, hostProblemText } from "../../config/host-problem.ts";
import { installText, thisPackageManager } from "../../toolchain/host-packages.ts";
import { type ProgramEnd, runProgram } from "../../host/run-program.ts";

/** Installation media or a disk from which no image can be made. */
export class MediaError extends Failure {
  override readonly name = "MediaError";
  readonly problems: readonly HostProblem[];

  constructor(...problems: readonly HostProblem[]) {
    const lines = problems.map((problem) => `  - ${hostProblemText(problem)}`);
    super(`no image can be made from these media; nothing was changed:\n${lines.join("\n")}`);
    this.problems = problems;
  }
}

/**
 * Returns the result of `examine`. If that throws a MediaError, adds its problems to `problems` and returns undefined,
 * so that several examinations can be reported together.
 */
export async function collecting<T>(
  problems: HostProblem[],
  examine: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await examine();
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

/** The programs that make and examine media, with their Debian packages. */
const packages = {
  "7z": "p7zip-full",
  "qemu-img": "qemu-utils",
  xorriso: "xorriso",
} as const;

/** Runs a program that makes or examines media (see `runProgram`). Throws if it is not installed. */
export async function runMediaProgram(
  program: keyof typeof packages,
  args: readonly string[],
  timeoutSeconds: number,
): Promise<ProgramEnd> {
  const end = await runProgram(program, args, timeoutSeconds, { locale: "C.UTF-8" });
  if (end.how === "missing") {
    const install = installText(await thisPackageManager(), [packages[program]]);
    throw new Error(`${end.reason}: ${install}`);
  }
  return end;
}
