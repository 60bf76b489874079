import { ExecaError, execa } from "execa";

/** Longest time for one question to libvirt, or for taking one volume away, in seconds. */
const timeoutSeconds = 60;

/**
 * Runs virsh to its end and returns its standard output.
 *
 * @throws with virsh's own last words.
 */
export async function virsh(uri: string, ...args: readonly string[]): Promise<string> {
  try {
    const done = await execa("virsh", ["-q", "-c", uri, ...args], {
      stdin: "ignore",
      timeout: timeoutSeconds * 1000,
      env: { LC_ALL: "C" },
    });
    return done.stdout;
  } catch (error) {
    throw new Error(`virsh ${args.join(" ")}: ${reason(error)}`);
  }
}

function reason(error: unknown): string {
  if (!(error instanceof ExecaError)) {
    return String(error);
  }
  return error.timedOut
    ? `no answer within ${timeoutSeconds} s`
    : String(error.stderr ?? "").trim() || error.shortMessage;
}
