/**
 * Host action: sees to it that a machine that was there before can be reached, is the one that is meant, and can be taken.
 * Changes nothing. What is on it is not minded where the run before has claimed it.
 */
import { runAction, say } from "../../host-action/run-action.ts";
import { claimMachine } from "../existing/claim.ts";
import { accessKeysSchema, machineSchema, wayText } from "../existing/machine-parameter.ts";

const lookSeconds = 60;

export const environment = { MACHINE: machineSchema, KEYS: accessKeysSchema };

await runAction(environment, async ({ MACHINE: machine, KEYS: keys }) => {
  const claimedBefore = process.env["PULUMI_COMMAND_STDOUT"] === "claimed";
  await claimMachine(machine, keys, claimedBefore, lookSeconds);
  say(`${wayText(machine)} answers and can be used`);
  return "claimed";
});
