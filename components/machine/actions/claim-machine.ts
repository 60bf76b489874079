/**
 * Host action: checks that an existing machine can be reached, is the intended one, and can become a node, and
 * records what a node's folders had in them before. A machine that an earlier run has claimed may already be set up as a node.
 */
import { runAction, say } from "../../host-action/run-action.ts";
import { claimMachine } from "../existing/claim.ts";
import { accessKeysSchema, machineSchema, routeText } from "../existing/machine-parameter.ts";

const timeoutSeconds = 60;

export const environment = { MACHINE: machineSchema, KEYS: accessKeysSchema };

await runAction(environment, async ({ MACHINE: machine, KEYS: keys }) => {
  const claimedBefore = process.env["PULUMI_COMMAND_STDOUT"] === "claimed";
  await claimMachine(machine, keys, claimedBefore, timeoutSeconds);
  say(`${routeText(machine)} answers and can be used`);
  return "claimed";
});
