import { messageOf } from "../../../host/failure.ts";
import { runOn } from "../../../ssh/run-over-ssh.ts";
import { onMachine } from "./dial-machine.ts";
import { explainAccess } from "./explain-access.ts";
import { checkMachine, nodeTraces, type SeenMachine } from "./check-machine.ts";
import { type AccessKeys, type MachineParameter, wayText } from "./machine-parameter.ts";
import { RemoteFiles } from "../../../ssh/remote-files.ts";

/** Where Windows says whether it is a server; a value of `reg query` is the same in every language. */
const installationType =
  'reg query "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion" /v InstallationType';

/** Integrity of an administrator's session, and of the system's: the same in every language, unlike groups' names. */
const elevated = /\bS-1-16-(12288|16384)\b/;

/**
 * Sees to it that a machine that was there before can be reached, is the one that is meant, is a Windows Server whose
 * administrator one is there, and is nobody's node. Changes nothing.
 *
 * @param claimedBefore by this program: what it made there is its own.
 * @param seconds that looking may take.
 * @throws with all that stands against it, and what to do.
 */
export async function claimMachine(
  machine: MachineParameter,
  keys: AccessKeys,
  claimedBefore: boolean,
  seconds: number,
): Promise<void> {
  const refused = `${wayText(machine)} cannot be used; nothing was changed on it`;
  let seen: SeenMachine;
  try {
    seen = await onMachine(machine, keys, seconds, async (client, signal) => {
      const saidTo = async (command: string): Promise<string> =>
        (await runOn(client, command, signal)).stdout.trim();
      const ver = await saidTo("ver");
      const files = await RemoteFiles.open(client);
      const traces: string[] = [];
      for (const path of Object.keys(nodeTraces)) {
        if (await files.exists(path)) traces.push(path);
      }
      return {
        ver,
        installationType: /REG_SZ\s+(.+)/.exec(await saidTo(installationType))?.[1]?.trim() ?? "",
        user: machine.place.user,
        isAdministrator: elevated.test(await saidTo("whoami /groups")),
        computerName: await saidTo("hostname"),
        ours: claimedBefore || (await files.exists("C:/kindows/steps")),
        traces,
      };
    });
  } catch (error) {
    throw new Error(`${refused}: ${explainAccess(messageOf(error), machine)}`);
  }
  const problems = checkMachine(machine.name, seen);
  if (problems.length > 0) {
    throw new Error(`${refused}: ${problems.join("; ")}`);
  }
}
