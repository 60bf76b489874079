/**
 * Host action: sees to it that a machine that was there before can be reached, is the one that is meant, runs Windows and
 * is nobody's node. Changes nothing. Nothing is looked at but the way to it where it was claimed before.
 *
 * Environment: MACHINE, a JSON object of its name, where it is, and what reset-machine needs; KEYS (secret), a JSON
 * object of what logs in to it; PULUMI_COMMAND_STDOUT, what the run before printed.
 */
import { parameter } from "../../host-action/environment.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { onMachine, runOn } from "../existing/dial-machine.ts";
import { judgeMachine, nodeTraces, type SeenMachine } from "../existing/judge-machine.ts";
import { accessKeysSchema, machineSchema, wayText } from "../existing/machine-parameter.ts";
import { RemoteFiles } from "../existing/remote-files.ts";

/** Longest that looking may take, in seconds. */
const lookSeconds = 60;

await runAction(async () => {
  const machine = parameter("MACHINE", machineSchema);
  const keys = parameter("KEYS", accessKeysSchema);
  const claimedBefore = process.env["PULUMI_COMMAND_STDOUT"] === "claimed";
  const way = wayText(machine);
  let seen: SeenMachine;
  try {
    seen = await onMachine(machine, keys, lookSeconds, async (client, signal) => {
      const saidTo = async (command: string): Promise<string> =>
        (await runOn(client, command, signal)).stdout.trim();
      const files = await RemoteFiles.open(client);
      const traces: string[] = [];
      for (const path of Object.keys(nodeTraces)) {
        if (await files.exists(path)) traces.push(path);
      }
      return {
        ver: await saidTo("ver"),
        computerName: await saidTo("hostname"),
        ours: claimedBefore || (await files.names("C:/kindows/steps")).length > 0,
        traces,
      };
    });
  } catch (error) {
    throw new Error(
      `${way} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const problems = judgeMachine(machine.name, seen);
  if (problems.length > 0) {
    throw new Error(`${way} cannot be used; nothing was changed on it: ${problems.join("; ")}`);
  }
  say(`${way} answers and can be used`);
  process.stdout.write("claimed");
});
