import type { LogForm } from "./log-lines.ts";

/** Log files of one kind on a machine. */
export interface LogPattern {
  /** Path with `/`; a part may hold `*`, which stands for any characters. */
  readonly path: string;
  readonly form: LogForm;
  /** What stands before its lines. */
  readonly label: (file: string) => string;
  /** Bytes at which its writer renames it; it fails where somebody has the file open then. */
  readonly renamedAt?: number;
}

/** `--log-file-size=50Mi` of kube-log-runner, in lib/KubeletService.ps1 and lib/FlanneldService.ps1. */
const logRunnerBytes = 50 * 1024 * 1024;

/**
 * The logs of a Windows node, of those that `kindows logs` collects (lib/LogFiles.ps1). containerd's grows without end;
 * kubelet renames those of containers, and tries again where it can't.
 */
export const windowsLogs: readonly LogPattern[] = [
  {
    path: "C:/var/log/kubelet/kubelet.log",
    form: "plain",
    label: () => "kubelet",
    renamedAt: logRunnerBytes,
  },
  { path: "C:/var/log/containerd/containerd.log", form: "plain", label: () => "containerd" },
  {
    path: "C:/var/log/flanneld/flanneld.log",
    form: "plain",
    label: () => "flanneld",
    renamedAt: logRunnerBytes,
  },
  { path: "C:/var/log/calico/*.log", form: "plain", label: (file) => `calico/${stem(file)}` },
  { path: "C:/var/log/calico/*/*.log", form: "plain", label: (file) => `calico/${stem(file)}` },
  { path: "C:/var/log/pods/*kube-proxy*/*/*.log", form: "container", label: containerOf },
  { path: "C:/var/log/pods/*calico*/*/*.log", form: "container", label: containerOf },
];

/** What every Windows node has sooner or later, and is missed where it is not there. */
export const expectedLogs: readonly string[] = ["kubelet", "containerd"];

function stem(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1).replace(/\.log$/, "");
}

/** `kube-proxy` of `.../kube-system_kube-proxy-windows-x7k2p_<uid>/kube-proxy/0.log`. */
function containerOf(file: string): string {
  return file.split("/").at(-2) ?? file;
}
