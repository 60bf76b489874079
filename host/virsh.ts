import type { Host } from "./host.ts";
import { runProgram, type ProgramEnd } from "./run-program.ts";

/** Longest time for one query to libvirt, or for deleting one volume, in seconds. */
const questionSeconds = 60;

/** The same for several over one connection: a busy host may take twenty over SSH. */
const batchSeconds = 30;

function virshArguments(uri: string, args: readonly string[]): string[] {
  return ["-q", "-c", uri, ...args];
}

export function runVirsh(
  uri: string,
  args: readonly string[],
  timeoutSeconds: number,
): Promise<ProgramEnd> {
  return runProgram("virsh", virshArguments(uri, args), timeoutSeconds);
}

/**
 * Runs virsh and returns its standard output.
 *
 * @param on a libvirt by its URI, or a host's own, of which nothing is there if virsh is not.
 */
export async function virsh(on: string | Host, ...args: readonly string[]): Promise<string> {
  if (typeof on !== "string") {
    return (await on.run("virsh", virshArguments(on.libvirtUri, args))) ?? "";
  }
  const { how, stdout, reason } = await runVirsh(on, args, questionSeconds);
  if (how !== "well") throw new Error(`virsh ${args.join(" ")}: ${reason}`);
  return stdout;
}

/** Over one connection, even if some fail. @throws if virsh is missing, cannot connect, or is late. */
export async function virshBatch(
  uri: string,
  commands: readonly string[],
): Promise<Pick<ProgramEnd, "stdout" | "stderr">> {
  const { how, stdout, stderr, reason } = await runVirsh(uri, [commands.join("; ")], batchSeconds);
  if (how === "missing" || how === "late") throw new Error(reason);
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
