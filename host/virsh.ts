import { runProgram, type ProgramEnd } from "./run-program.ts";

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
