import { isNamed } from "./computer-name.ts";
import type { MachineParameter } from "./machine-parameter.ts";

/** What is seen of an existing machine before anything on it is changed. */
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
