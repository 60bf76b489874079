/**
 * Host action: sees to it that a machine that was there before can be reached, is the one that is meant, and can be taken.
 * Changes nothing. What is on it is not minded where it was claimed before.
 *
 * Environment: MACHINE, a JSON object of its name, where it is, and what reset-machine needs; KEYS (secret), a JSON
 * object of what logs in to it; PULUMI_COMMAND_STDOUT, what the run before printed.
 */
import { parameter } from "../../host-action/environment.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { claimMachine } from "../existing/claim.ts";
import { accessKeysSchema, machineSchema, wayText } from "../existing/machine-parameter.ts";

/** Longest that looking may take, in seconds. */
const lookSeconds = 60;

await runAction(async () => {
  const machine = parameter("MACHINE", machineSchema);
  const keys = parameter("KEYS", accessKeysSchema);
  const claimedBefore = process.env["PULUMI_COMMAND_STDOUT"] === "claimed";
  await claimMachine(machine, keys, claimedBefore, lookSeconds);
  say(`${wayText(machine)} answers and can be used`);
  process.stdout.write("claimed");
});
