import { runVirsh } from "../host/virsh.ts";

/** A busy host, asked over SSH, may take twenty. */
const timeoutSeconds = 30;

/** What virsh printed, and what it complained about. */
export interface VirshResult {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs several virsh commands over one connection; one that fails does not keep the others from running.
 *
 * @throws when virsh is missing, can't connect, or takes too long.
 */
export async function virsh(uri: string, commands: readonly string[]): Promise<VirshResult> {
  const end = await runVirsh(uri, [commands.join("; ")], timeoutSeconds);
  if (end.how === "missing" || end.how === "late") {
    throw new Error(end.reason);
  }
  if (/failed to connect to the hypervisor/.test(end.stderr)) {
    throw new Error(
      end.stderr
        .trim()
        .replace(/^error: /gm, "")
        .replaceAll("\n", ": "),
    );
  }
  return { stdout: end.stdout, stderr: end.stderr };
}
