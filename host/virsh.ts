import { runProgram, type ProgramEnd } from "./run-program.ts";

/** Longest time for one question to libvirt, or for taking one volume away, in seconds. */
const questionSeconds = 60;

/** The same for several over one connection: a busy host, asked over SSH, may take twenty. */
const batchSeconds = 30;

/** Arguments of virsh that ask the libvirt at an address, and print answers only. */
export function virshArguments(uri: string, args: readonly string[]): string[] {
  return ["-q", "-c", uri, ...args];
}

/** Runs virsh to its end; see `runProgram`. */
export function runVirsh(
  uri: string,
  args: readonly string[],
  timeoutSeconds: number,
): Promise<ProgramEnd> {
  return runProgram("virsh", virshArguments(uri, args), timeoutSeconds);
}

/**
 * Runs virsh to its end and returns its standard output.
 *
 * @throws with virsh's own last words.
 */
export async function virsh(uri: string, ...args: readonly string[]): Promise<string> {
  const { how, stdout, reason } = await runVirsh(uri, args, questionSeconds);
  if (how !== "well") {
    throw new Error(`virsh ${args.join(" ")}: ${reason}`);
  }
  return stdout;
}

/**
 * Runs several virsh commands over one connection; one that fails does not keep the others from running.
 *
 * @returns what virsh printed, and what it complained about.
 * @throws when virsh is missing, can't connect, or takes too long.
 */
export async function virshBatch(
  uri: string,
  commands: readonly string[],
): Promise<Pick<ProgramEnd, "stdout" | "stderr">> {
  const { how, stdout, stderr, reason } = await runVirsh(uri, [commands.join("; ")], batchSeconds);
  if (how === "missing" || how === "late") {
    throw new Error(reason);
  }
  if (/failed to connect to the hypervisor/.test(stderr)) {
    throw new Error(
      stderr
        .trim()
        .replace(/^error: /gm, "")
        .replaceAll("\n", ": "),
    );
  }
  return { stdout, stderr };
}
