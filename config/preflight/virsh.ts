import { execa } from "execa";

const timeoutSeconds = 5;

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
  const result = await execa("virsh", ["--quiet", "--connect", uri, commands.join("; ")], {
    reject: false,
    timeout: timeoutSeconds * 1000,
    stdin: "ignore",
    env: { LC_ALL: "C" },
  });
  if (result.code === "ENOENT") {
    throw new Error("the program virsh is not installed");
  }
  if (result.timedOut) {
    throw new Error(`no answer in ${timeoutSeconds} s`);
  }
  if (/failed to connect to the hypervisor/.test(result.stderr)) {
    throw new Error(
      result.stderr
        .trim()
        .replace(/^error: /gm, "")
        .replaceAll("\n", ": "),
    );
  }
  return { stdout: result.stdout, stderr: result.stderr };
}
