/**
 * Host action: installs the lab's network fabric on a host, which connects it with the lab's other hosts. `--remove`
 * removes the fabric again, unless the host is gone for good (KINDOWS_GONE).
 */
import { messageOf } from "../../../host/failure.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { goneVariable, isGone } from "../../machine/existing/machine-parameter.ts";
import { fabricHostSchema, installText, removeText } from "../fabric/host-script.ts";
import { runAsRoot } from "../fabric/run-as-root.ts";

const seconds = 120;

export const environment = { FABRIC_HOST: fabricHostSchema };

await runAction(environment, async ({ FABRIC_HOST: host }) => {
  const isRemoval = process.argv.includes("--remove");
  if (isRemoval && isGone(host.name)) {
    say(`${host.name} is gone for good, as ${goneVariable} says: nothing is removed there`);
    return;
  }
  const shell = isRemoval ? removeText(host) : installText(host);
  await runAsRoot(host.server, shell, seconds).catch((error: unknown) => {
    throw new Error(`the network fabric on ${host.name}: ${messageOf(error)}`);
  });
  say(`${host.name} is ${isRemoval ? "disconnected" : "connected"}`);
});
