import { messageOf } from "../../../host/failure.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { outputOf, runOn } from "../../../host/ssh/run-over-ssh.ts";
import { inShell, powerShellCommand, shellOf } from "../../../host/ssh/windows-command.ts";
import { say } from "../../host-action/run-action.ts";
import { onMachine } from "../dial-machine.ts";
import { computerNameOf, isNamed } from "./computer-name.ts";
import { type AccessKeys, type MachineRoute, routeText } from "./machine-parameter.ts";

/** How long a machine may be away that reboots. */
export const rebootSeconds = 900;

/** How long one session on it may take. */
const sessionSeconds = 60;

/** Delayed, so that the session is not cut before its result is there. */
const reboot = 'shutdown.exe /r /f /t 5 /d p:2:4 /c "kindows: computer name"';

/** Done, or a shutdown is in progress or scheduled already. */
const rebootCodes = [0, 1115, 1190];

/**
 * Gives a machine the computer name that its node has, reboots it, and waits until it is back. Can be repeated where an earlier
 * run has ended before the reboot: the name is only in force after it.
 *
 * @throws Windows' own reason, e.g. that only a domain's administrator may rename its members.
 */
export async function renameMachine(machine: MachineRoute, keys: AccessKeys): Promise<void> {
  const { name } = machine;
  await onMachine(machine, keys, sessionSeconds, async (client, signal) => {
    const shell = await shellOf(client, signal);
    const rename = powerShellCommand(`Rename-Computer -NewName '${name}' -Force`);
    await outputOf(client, inShell(shell, rename), signal).catch((error: unknown) => {
      throw new Error(`${routeText(machine)} cannot be renamed: ${messageOf(error)}`);
    });
    const { exitCode, stderr } = await runOn(client, inShell(shell, reboot), signal);
    if (!rebootCodes.includes(exitCode)) {
      throw new Error(`${routeText(machine)} is renamed but does not reboot: ${stderr.trim()}`);
    }
  });
  say(`${routeText(machine)} is renamed and reboots`);
  const what = `${name} to be back from its reboot with this name`;
  const options = { what, timeoutSeconds: rebootSeconds, pollMilliseconds: 2000 };
  await waitUntil(options, async () => {
    const found = await onMachine(machine, keys, sessionSeconds, async (client, signal) =>
      computerNameOf(client, await shellOf(client, signal), signal),
    );
    return isNamed(found, name) ? undefined : `its computer name is ${found}`;
  });
}
