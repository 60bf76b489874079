import { setTimeout as sleep } from "node:timers/promises";
import type { Drive } from "../host/drive.ts";

/** The last file `kubeadm join` writes before it asks the service manager to start kubelet. */
const flagsPath = "C:\\var\\lib\\kubelet\\kubeadm-flags.env";

/**
 * Preflight checks that can't pass here though they would on Windows: kubeadm gives the container runtime two seconds for
 * each first answer, which an emulated CPU of a busy host does not keep. Nothing else is ignored.
 */
const ignoredPreflightErrors = ["CRI", "ContainerRuntimeVersion"];

export function isJoin(exe: string, [command]: readonly string[]): boolean {
  return /\\kubeadm\.exe$/i.test(exe) && command === "join";
}

/**
 * Runs `kubeadm.exe join`. Under Wine its request to the service manager goes nowhere, so it is made here when kubeadm has
 * written the last file it writes before it.
 */
export async function runJoin<Result>(
  drive: Drive,
  args: readonly string[],
  run: (args: readonly string[]) => Promise<Result>,
  startService: (name: string) => Promise<void>,
): Promise<Result> {
  const ended = new AbortController();
  const watch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      if ((await drive.readText(flagsPath))?.trim()) {
        // Where it does not start, kubeadm says itself that kubelet is not healthy.
        await startService("kubelet").catch(() => undefined);
        return;
      }
      await sleep(100);
    }
  };
  const started = watch();
  try {
    return await run([...args, `--ignore-preflight-errors=${ignoredPreflightErrors.join(",")}`]);
  } finally {
    ended.abort();
    await started;
  }
}
