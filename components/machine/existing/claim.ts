import folderList from "../../windows/steps/lib/NodeFolders.json" with { type: "json" };
import { messageOf } from "../../../host/failure.ts";
import { runOn } from "../../../host/ssh/run-over-ssh.ts";
import { inShell, powerShellCommand, shellOf } from "../../../host/ssh/windows-command.ts";
import { onMachine } from "../dial-machine.ts";
import { type AccessKeys, type MachineParameter, routeText } from "./machine-parameter.ts";
import { RemoteFiles } from "../../../host/ssh/remote-files.ts";
import { computerNameOf, isNamed } from "./computer-name.ts";
import { renameMachine } from "./rename-machine.ts";

export interface SeenMachine {
  /** Output of the command `ver`; empty if there is no such command. */
  readonly ver: string;
  /** `Server`, `Server Core` or `Client`; empty if unknown. */
  readonly installationType: string;
  readonly user: string;
  /** Whether that account's sessions are elevated. */
  readonly isAdministrator: boolean;
  readonly computerName: string;
  /** Which scripts group policies allow PowerShell to run; empty if they do not say. */
  readonly scriptPolicy: string;
  /** `FullLanguage`, `ConstrainedLanguage`, ...; empty if unknown. */
  readonly languageMode: string;
  /** Whether kindows has used the machine before. */
  readonly ours: boolean;
  /** Those files of `nodeTraces` that exist. */
  readonly traces: readonly string[];
}

/** Files that a node has, and what each of them means. Paths are in SFTP's notation. */
export const nodeTraces: Readonly<Record<string, string>> = {
  "C:/etc/kubernetes/kubelet.conf": "it is a node of a cluster already",
  "C:/var/lib/kubelet/config.yaml": "kubelet is set up",
  "C:/Program Files/containerd/containerd.exe": "containerd is installed",
  "C:/etc/rancher": "it is a node of RKE2",
};

/** Reasons why a machine cannot be used as the one with this name. */
export function checkMachine(
  { name, mayRename = false }: Pick<MachineParameter, "name" | "mayRename">,
  seen: SeenMachine,
): string[] {
  const { ver, installationType, user, computerName } = seen;
  if (!/Windows/.test(ver)) {
    const output = ver.trim().split("\n")[0] ?? "";
    return [
      `it does not run Windows: the command ver prints ${output === "" ? "nothing" : output}. Write the address of a Windows Server of ${name} under kindows:nodes, or leave ${name} out`,
    ];
  }
  const traces = seen.traces.map((path) => `${nodeTraces[path] ?? "it is in use"} (${path})`);
  const problems: readonly (readonly [applies: boolean, problem: string])[] = [
    [
      installationType === "Client",
      "it runs a client edition of Windows, which cannot be a node: use a machine with Windows Server",
    ],
    [
      !seen.isAdministrator,
      `${user} is not an administrator there: make it one (Add-LocalGroupMember -SID S-1-5-32-544 -Member '${user}'), or write another as user of ${name} under kindows:nodes`,
    ],
    [
      /^(AllSigned|Restricted)$/i.test(seen.scriptPolicy),
      `a group policy lets PowerShell run no unsigned scripts there (${seen.scriptPolicy}), and kindows cannot override it: set "Turn on Script Execution" to local scripts, or take the machine out of that policy`,
    ],
    [
      !["", "FullLanguage"].includes(seen.languageMode),
      `PowerShell runs in ${seen.languageMode} mode there, by AppLocker or App Control for Business, in which kindows' scripts cannot run: except ${user}'s scripts in C:\\kindows from that policy`,
    ],
    [
      // What has been set up as a node is one by its old name.
      !isNamed(computerName, name) && !(mayRename && traces.length === 0),
      `its computer name is ${computerName}: write that as name, or rename it (Rename-Computer ${name} -Restart${mayRename ? "" : "; kindows does with mayRename: true"})`,
    ],
    [
      !seen.ours && traces.length > 0,
      `${traces.join(", ")}: kindows does not change a node that it has not made; take it out of its cluster (kubectl delete node; kubeadm reset) and remove these first`,
    ],
  ];
  return problems.flatMap(([applies, problem]) => (applies ? [problem] : []));
}

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
