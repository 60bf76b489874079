/**
 * Host action: makes a machine on a Hyper-V host and waits until it has its address; with `--remove` takes it away, which
 * is fine when it is gone already, or its host is for good (KINDOWS_GONE). Prints the machine's `id`.
 */
import { runAction, say } from "../../host-action/run-action.ts";
import { goneVariable, isGone } from "../existing/machine-parameter.ts";
import { onHyperVHost } from "../hyper-v/host-session.ts";
import { identityDisc, makeMachine } from "../hyper-v/make-machine.ts";
import { hyperVHostSchema, hyperVMachineSchema, identitySchema } from "../hyper-v/parameters.ts";

/** A first boot, Windows' setup in it, takes minutes; so does waiting for other machines that are being made there. */
const wait = { seconds: 1200, pauseSeconds: 10 };
const makeSeconds = 1800;
const removeSeconds = 600;

export const environment = {
  HYPER_V_HOST: hyperVHostSchema,
  MACHINE: hyperVMachineSchema,
  IDENTITY: identitySchema,
};

await runAction(environment, async ({ HYPER_V_HOST: host, MACHINE: machine, IDENTITY }) => {
  if (process.argv.includes("--remove")) {
    if (isGone(host.name)) {
      say(
        `${host.name} is gone for good, as ${goneVariable} says: ${machine.name} is not removed there`,
      );
      return undefined;
    }
    await onHyperVHost(host, removeSeconds, (session) =>
      session.run("Remove-LabMachine", { machineName: machine.name }),
    );
    return undefined;
  }
  const identity = await identityDisc(IDENTITY);
  const id = await onHyperVHost(host, makeSeconds, (session) =>
    makeMachine(session, machine, identity, wait, say),
  );
  return { id };
});
