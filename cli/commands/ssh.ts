import { spawn } from "node:child_process";
import { once } from "node:events";

import type { Options } from "../command-line/options.ts";
import { findOnPath } from "../../host/search-path.ts";
import { exitCodes, Failure } from "../../host/failure.ts";
import { labThatIsUp } from "../lab/outputs.ts";
import { sshArguments } from "../lab/openssh-settings.ts";

/** `kindows ssh`: opens a shell on a node's machine, or runs a command. Exit code: the command's, or 255 if ssh fails. */
export async function ssh({
  stack,
  node,
  command,
}: Options & Readonly<{ node: string; command: readonly string[] }>): Promise<number> {
  const { outputs, access } = await labThatIsUp(stack);
  const machine = outputs.nodes.find(({ name }) => name === node);
  if (machine === undefined) {
    const known = outputs.nodes.map(({ name }) => name).join(", ");
    throw new Failure(`stack ${stack} has no machine "${node}"; it has ${known || "none"}`);
  }
  const program = await findOnPath("ssh", process.env["PATH"] ?? "");
  if (program === undefined) {
    throw new Failure("ssh is not installed on this host: install the OpenSSH client");
  }
  // ^C is for the remote program; ssh ends when that does.
  process.on("SIGINT", () => undefined);
  const child = spawn(program, [...sshArguments(machine, access), ...command], {
    stdio: "inherit",
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? exitCodes.interrupted;
}
