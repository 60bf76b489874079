import path from "node:path";

import { logInTo } from "../../../host/ssh/dial.ts";
import { HostKeyRefused } from "../../../host/ssh/endpoint.ts";
import { RemoteFiles } from "../../../host/ssh/remote-files.ts";
import type { SshSource } from "../../../host/ssh/run-over-ssh.ts";
import { fileStream, type LogFolder, type LogPattern } from "./followed-files.ts";
import { SourceRefused, type LogStream } from "./log-stream.ts";

/** The logs of a Windows node, read over SFTP; positions in files survive a reboot. */
export function machineStream(node: string, source: SshSource): LogStream {
  return fileStream({
    name: node,
    patterns: windowsLogs.map((each) => ({
      ...each,
      label: (file) => `${node}/${each.label(file)}`,
    })),
    // Every Windows node has these sooner or later.
    expected: new Map(
      ["kubelet", "containerd"].map((log) => [`${node}/${log}`, "has no log yet; waiting for it"]),
    ),
    withFiles: (signal, work) => withMachineFiles(source, signal, work),
  });
}

/** Longest wait for a connection, and for one answer. */
const answerSeconds = 20;
/** A machine that is silent for this long counts as lost. */
const silentSeconds = 15;

/**
 * Works with a machine's files over SFTP, and closes the connection afterwards.
 *
 * @throws SourceRefused if the machine has another host key, or refuses the login.
 * @throws if it cannot be reached, or the connection is lost.
 */
async function withMachineFiles(
  source: SshSource,
  signal: AbortSignal,
  work: (files: LogFolder) => Promise<void>,
): Promise<void> {
  const endpoint = { ...source, silentSeconds, perDialTimeout: answerSeconds };
  const client = await logInTo(endpoint, signal).catch((error: unknown) => {
    throw refusal(error) ?? error;
  });
  try {
    await work(await RemoteFiles.open(client, answerSeconds));
  } finally {
    client.end();
  }
}

function refusal(error: unknown): SourceRefused | undefined {
  if (error instanceof HostKeyRefused) {
    return new SourceRefused("it has another host key than the stack knows: it was replaced");
  }
  const level = error instanceof Error && "level" in error ? error.level : undefined;
  return level === "client-authentication"
    ? new SourceRefused("it refuses the lab's key")
    : undefined;
}

/** `--log-file-size=50Mi` of kube-log-runner, in lib/KubeletService.ps1 and lib/Flannel.ps1. */
const logRunnerBytes = 50 * 1024 * 1024;

/**
 * Logs of a Windows node that `kindows logs` collects too (lib/LogFiles.ps1). containerd's is never renamed; kubelet renames
 * those of containers, and retries if that fails.
 */
export const windowsLogs: readonly LogPattern[] = [
  ...[
    { path: "C:/var/log/kubelet/kubelet.log", renamedAt: logRunnerBytes },
    { path: "C:/var/log/containerd/containerd.log" },
    { path: "C:/var/log/flanneld/flanneld.log", renamedAt: logRunnerBytes },
  ].map((file) => ({ ...file, form: "plain", label: stem }) as const),
  ...["C:/var/log/calico/*.log", "C:/var/log/calico/*/*.log"].map(
    (path) => ({ path, form: "plain", label: (file: string) => `calico/${stem(file)}` }) as const,
  ),
  // `kube-proxy` of `.../kube-system_kube-proxy-windows-x7k2p_<uid>/kube-proxy/0.log`.
  ...["C:/var/log/pods/*kube-proxy*/*/*.log", "C:/var/log/pods/*calico*/*/*.log"].map(
    (path) =>
      ({
        path,
        form: "container",
        label: (file: string) => file.split("/").at(-2) ?? file,
      }) as const,
  ),
];

function stem(file: string): string {
  return path.basename(file, ".log");
}
