import { messageOf } from "../../../host/failure.ts";
import { runOn } from "../../../ssh/run-over-ssh.ts";
import { onMachine } from "../dial-machine.ts";
import { type AccessKeys, type MachineParameter, wayText } from "./machine-parameter.ts";
import { RemoteFiles } from "../../../ssh/remote-files.ts";

export interface SeenMachine {
  /** What its `ver` says; empty where it knows no such command. */
  readonly ver: string;
  /** `Server`, `Server Core` or `Client`; empty where it does not say. */
  readonly installationType: string;
  readonly user: string;
  /** Whether that account's sessions are an administrator's. */
  readonly isAdministrator: boolean;
  readonly computerName: string;
  /** Whether the steps of this program were there before. */
  readonly ours: boolean;
  /** Of what a node consists of, which is there. */
  readonly traces: readonly string[];
}

/** Files of a node, and what each tells; as SFTP writes paths. */
export const nodeTraces: Readonly<Record<string, string>> = {
  "C:/etc/kubernetes/kubelet.conf": "it is a node of a cluster already",
  "C:/var/lib/kubelet/config.yaml": "kubelet is set up",
  "C:/Program Files/containerd/containerd.exe": "containerd is installed",
  "C:/etc/rancher": "it is RKE2's",
};

/** Everything that stands against taking a machine which must have this name. */
export function checkMachine(name: string, seen: SeenMachine): string[] {
  const { ver, installationType, user, computerName } = seen;
  if (!/Windows/.test(ver)) {
    const said = ver.trim().split("\n")[0] ?? "";
    return [
      `it does not run Windows: to ver it says ${said === "" ? "nothing" : said}. Write the address of a Windows Server of ${name} under kindows:nodes, or leave ${name} out`,
    ];
  }
  const told = seen.traces.map((path) => `${nodeTraces[path] ?? "it is in use"} (${path})`);
  const problems: readonly (readonly [stands: boolean, problem: string])[] = [
    [
      installationType === "Client",
      "it runs a Windows for clients, which Kubernetes has no nodes of: use a machine with Windows Server",
    ],
    [
      !seen.isAdministrator,
      `${user} is no administrator there: make it one (net localgroup Administrators ${user} /add), or write another as user of ${name} under kindows:nodes`,
    ],
    [
      computerName.toLowerCase() !== name.toLowerCase(),
      `its computer name is ${computerName}: write that as name, or rename it (Rename-Computer ${name} -Restart)`,
    ],
    [
      !seen.ours && told.length > 0,
      `${told.join(", ")}: what was not made here is not touched; take it out of its cluster (kubectl delete node; kubeadm reset) and remove these first`,
    ],
  ];
  return problems.flatMap(([stands, problem]) => (stands ? [problem] : []));
}

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
    throw new Error(`${refused}: ${messageOf(error)}`);
  }
  const problems = checkMachine(machine.name, seen);
  if (problems.length > 0) throw new Error(`${refused}: ${problems.join("; ")}`);
}
