/**
 * Host action: makes a machine on a Hyper-V host and waits until it has its address; with `--remove` takes it away, which
 * is fine when it is gone already. Prints a JSON object with the machine's id.
 *
 * Environment: HYPER_V_HOST and MACHINE, JSON objects of the two; IDENTITY (secret), a JSON object of the files on its
 * identity disc; KINDOWS_GONE, names of hosts that are gone for good, separated by commas: they are not asked.
 */
import { parameter } from "../../host-action/environment.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { goneVariable } from "../existing/machine-parameter.ts";
import { isGone } from "../hyper-v/gone-host.ts";
import { onHyperVHost } from "../hyper-v/host-session.ts";
import { identityDisc } from "../hyper-v/identity-disc.ts";
import { makeMachine } from "../hyper-v/make-machine.ts";
import { hyperVHostSchema, hyperVMachineSchema, identitySchema } from "../hyper-v/parameters.ts";
import { removeCall } from "../hyper-v/script-command.ts";

/** A first boot, Windows' setup in it, takes minutes; so does waiting for other machines that are being made there. */
const patience = { seconds: 1200, pauseSeconds: 10 };
const makeSeconds = 1800;
const removeSeconds = 600;

await runAction(async () => {
  const host = parameter("HYPER_V_HOST", hyperVHostSchema);
  const machine = parameter("MACHINE", hyperVMachineSchema);
  if (process.argv.includes("--remove")) {
    if (isGone(host.name)) {
      say(
        `${host.name} is gone for good, as ${goneVariable} says: ${machine.name} is not removed there`,
      );
      return;
    }
    await onHyperVHost(host, removeSeconds, (session) =>
      session.run(removeCall(host, machine.name)),
    );
    return;
  }
  const identity = await identityDisc(parameter("IDENTITY", identitySchema));
  const id = await onHyperVHost(host, makeSeconds, (session) =>
    makeMachine(session, machine, identity, patience, say),
  );
  process.stdout.write(JSON.stringify({ id }));
});
