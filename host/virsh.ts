import { type Host, lines } from "./host.ts";
import { runProgram, type ProgramEnd } from "./run-program.ts";

/** Longest time for one query to libvirt, or for deleting one volume, in seconds. */
const questionSeconds = 60;

/** Longest time for a batch of queries over one connection; a busy host may take 20 s over SSH. */
const batchSeconds = 30;

/** Whether a connection is to this host's libvirt. */
export function isLocal(uri: string): boolean {
  return /^[a-z]+(\+unix)?:\/\/\/(system|session)/.test(uri);
}

function virshArguments(uri: string, args: readonly string[]): string[] {
  return ["-q", "-c", uri, ...args];
}

/** A command line that runs virsh's commands, for people. */
export function virshText({ libvirtUri }: Host, commands: readonly string[]): string {
  return `virsh -c '${libvirtUri}' '${commands.join("; ")}'`;
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
 * @param on URI of a libvirt, or a host, for which the output is empty if virsh is not installed.
 */
export async function virsh(on: string | Host, ...args: readonly string[]): Promise<string> {
  if (typeof on !== "string") {
    return (await on.run("virsh", virshArguments(on.libvirtUri, args))) ?? "";
  }
  const { how, stdout, reason } = await runVirsh(on, args, questionSeconds);
  if (how !== "well") throw new Error(`virsh ${args.join(" ")}: ${reason}`);
  return stdout;
}

/** Names of a libvirt's networks: of those that are active, or of all. */
export async function networkNames(
  uri: string,
  which: "active" | "all",
): Promise<readonly string[]> {
  return lines(await virsh(uri, "net-list", "--name", ...(which === "all" ? ["--all"] : [])));
}

/**
 * Runs commands over one connection. Commands that fail do not stop the others.
 *
 * @throws if virsh is missing, cannot connect, or takes too long.
 */
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
