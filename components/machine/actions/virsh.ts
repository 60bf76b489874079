import { runVirsh } from "../../../host/virsh.ts";

/** Longest time for one question to libvirt, or for taking one volume away, in seconds. */
const timeoutSeconds = 60;

/**
 * Runs virsh to its end and returns its standard output.
 *
 * @throws with virsh's own last words.
 */
export async function virsh(uri: string, ...args: readonly string[]): Promise<string> {
  const { how, stdout, reason } = await runVirsh(uri, args, timeoutSeconds);
  if (how !== "well") {
    throw new Error(`virsh ${args.join(" ")}: ${reason}`);
  }
  return stdout;
}
