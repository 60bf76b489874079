/** What is seen of a machine before anything is done on it. */
export interface SeenMachine {
  /** What its `ver` says; empty where it knows no such command. */
  readonly ver: string;
  /** Its `hostname`. */
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

/**
 * Everything that stands against taking a machine.
 *
 * @param name that it must have.
 */
export function judgeMachine(name: string, seen: SeenMachine): string[] {
  if (!/Windows/.test(seen.ver)) {
    const said = seen.ver.trim().split("\n")[0] ?? "";
    return [`it does not run Windows: to ver it says ${said === "" ? "nothing" : said}`];
  }
  const problems: string[] = [];
  if (seen.computerName.toLowerCase() !== name.toLowerCase()) {
    problems.push(
      `its computer name is ${seen.computerName}: write that as name, or rename it (Rename-Computer ${name} -Restart)`,
    );
  }
  if (!seen.ours && seen.traces.length > 0) {
    const told = seen.traces.map((path) => `${nodeTraces[path] ?? "it is in use"} (${path})`);
    problems.push(
      `${told.join(", ")}: what was not made here is not touched; take it out of its cluster and remove these first`,
    );
  }
  return problems;
}
