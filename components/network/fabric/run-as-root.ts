import { readFile } from "node:fs/promises";
import { runProgram } from "../../../host/run-program.ts";
import { runOverSsh } from "../../../host/ssh/run-over-ssh.ts";
import type { Server } from "./host-script.ts";

/** Starts a root shell that reads its commands from standard input. */
const rootShell = `if [ "$(id -u)" = 0 ]; then exec sh -s; else exec sudo -n sh -s; fi`;

/**
 * Runs shell code as root, on a host or, without a server, on this host.
 *
 * @returns its standard output.
 * @throws an error with the end of its standard error, or if the host does not answer.
 */
export async function runAsRoot(server: Server, shell: string, seconds: number): Promise<string> {
  if (server === undefined) {
    const run = await runProgram("sh", ["-c", rootShell], seconds, { input: shell });
    if (run.how !== "well") throw new Error(run.reason.slice(-1000));
    return run.stdout;
  }
  const { privateKeyFile, ...endpoint } = server;
  const privateKey = await readFile(privateKeyFile, "utf8");
  return runOverSsh({ ...endpoint, privateKey }, rootShell, seconds, { input: shell });
}
