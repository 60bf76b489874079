import folderList from "../../windows/steps/lib/NodeFolders.json" with { type: "json" };
import { messageOf } from "../../../host/failure.ts";
import { runOn } from "../../../host/ssh/run-over-ssh.ts";
import { inShell, powerShellCommand, shellOf } from "../../../host/ssh/windows-command.ts";
import { onMachine } from "../dial-machine.ts";
import { type AccessKeys, type MachineParameter, routeText } from "./machine-parameter.ts";
import { RemoteFiles } from "../../../host/ssh/remote-files.ts";
import { computerNameOf, isNamed } from "./computer-name.ts";
import { renameMachine } from "./rename-machine.ts";
import { checkMachine, nodeTraces } from "./seen-machine.ts";

/** Prints whether this is a Windows Server. The values that `reg query` prints are not localized. */
const queryType =
  'reg query "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion" /v InstallationType';

/**
 * Print the policies about scripts, of the machine and of the account. Group policies beat `-ExecutionPolicy Bypass`; the
 * first counts.
 */
const queryPolicies = ["HKLM", "HKCU"].map(
  (hive) => `reg query "${hive}\\SOFTWARE\\Policies\\Microsoft\\Windows\\PowerShell"`,
);

/** The policy in the output of `queryPolicies`. Scripts that are turned off have no policy of their own. */
export function scriptPolicyIn(output: string): string {
  const value = (name: string): string | undefined =>
    new RegExp(`^\\s*${name}\\s+REG_\\w+\\s+(\\S+)`, "m").exec(output)?.[1];
  return value("EnableScripts") === "0x0" ? "Restricted" : (value("ExecutionPolicy") ?? "");
}

/** Prints how much of its language PowerShell allows to what an account runs. Works in every mode. */
const queryLanguage = powerShellCommand("$ExecutionContext.SessionState.LanguageMode.ToString()");

/** Integrity levels High and System, as in elevated sessions. Unlike the names of groups, SIDs are not localized. */
const elevated = /\bS-1-16-(12288|16384)\b/;

/** File on the machine by which kindows has taken it, with what was in a node's folders before. */
export const claimFile = "C:/kindows/claim.json";

/** What the reset leaves, because it was there before (Get-FormerEntry in lib/NodeTraces.ps1). */
interface Former {
  readonly folder: string;
  readonly entries: readonly string[];
}

/**
 * Checks that an existing machine can be reached, has the expected name, runs Windows Server, lets the account act as
 * an administrator, and is not a node that kindows has not made. Then records on it what is in the folders that a node
 * uses. Changes nothing else, but the name if it may.
 *
 * @param claimedBefore whether an earlier run has claimed the machine, so that a node on it was made by kindows.
 * @throws an error with all problems and their remedies.
 */
export async function claimMachine(
  machine: MachineParameter,
  keys: AccessKeys,
  claimedBefore: boolean,
  seconds: number,
): Promise<void> {
  const refused = `${routeText(machine)} cannot be used; nothing was changed on it`;
  let seen: { readonly computerName: string; readonly problems: readonly string[] };
  try {
    seen = await onMachine(machine, keys, seconds, async (client, signal) => {
      // What is no shell of Windows knows no `ver` either, and that is reported.
      const shell = await shellOf(client, signal).catch(() => "cmd" as const);
      const outputOf = async (command: string): Promise<string> =>
        (await runOn(client, inShell(shell, command), signal)).stdout.trim();
      const ver = await outputOf("ver");
      const isWindows = /Windows/.test(ver);
      // Beside the other questions, because PowerShell takes a second to start.
      const language = isWindows ? outputOf(queryLanguage) : Promise.resolve("");
      language.catch(() => undefined);
      const policies: string[] = [];
      for (const query of isWindows ? queryPolicies : []) {
        policies.push(scriptPolicyIn(await outputOf(query)));
      }
      const files = await RemoteFiles.open(client);
      const traces: string[] = [];
      for (const path of Object.keys(nodeTraces)) {
        if (await files.exists(path)) traces.push(path);
      }
      const ours =
        claimedBefore ||
        (await files.exists(claimFile)) ||
        (await files.exists("C:/kindows/steps"));
      const computerName = await computerNameOf(client, shell, signal);
      const problems = checkMachine(machine, {
        ver,
        installationType: /REG_SZ\s+(.+)/.exec(await outputOf(queryType))?.[1]?.trim() ?? "",
        user: machine.server.user,
        isAdministrator: elevated.test(await outputOf("whoami /groups")),
        computerName,
        scriptPolicy: policies.find((each) => each !== "") ?? "",
        languageMode: /^\w+Language$/m.exec(await language)?.[0] ?? "",
        ours,
        traces,
      });
      if (problems.length === 0 && !ours) await recordFormer(files);
      return { computerName, problems };
    });
  } catch (error) {
    throw new Error(`${refused}: ${messageOf(error)}`);
  }
  const { computerName, problems } = seen;
  if (problems.length > 0) throw new Error(`${refused}: ${problems.join("; ")}`);
  if (!isNamed(computerName, machine.name)) await renameMachine(machine, keys);
}

async function recordFormer(files: RemoteFiles): Promise<void> {
  const before = await Promise.all(
    [...folderList.folders, ...folderList.parents].map(async (folder): Promise<Former[]> => {
      const path = folder.replaceAll("\\", "/");
      if (!(await files.exists(path))) return [];
      return [{ folder, entries: (await files.list(path)).map(({ name }) => name) }];
    }),
  );
  const [parent = ""] = /^.*(?=\/)/.exec(claimFile) ?? [];
  if (!(await files.exists(parent))) await files.makeFolder(parent);
  await files.write(claimFile, JSON.stringify({ before: before.flat() }));
}
