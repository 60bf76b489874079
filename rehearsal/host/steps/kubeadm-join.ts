import { chmod } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { StepContext } from "../step.ts";
import { StepError } from "../step-error.ts";
import { kubeletLogPath, setKubeletRecovery, setKubeletService } from "./kubelet-service.ts";
import { resetMembership, saveJoinRecord } from "./membership.ts";
import { runNative } from "./native-command.ts";
import { configurationPath, removeSecretRemains, stateFolder } from "./secret-remains.ts";

/** The last file `kubeadm join` writes before it asks the service manager to start kubelet. */
const flagsPath = "C:\\var\\lib\\kubelet\\kubeadm-flags.env";

/** What kubeadm says, and what to do about it: the same as in lib/KubeadmJoin.ps1. */
const complaints: readonly (readonly [RegExp, string])[] = [
  [
    /not yet valid|has expired or is not/i,
    "Set the clock of this machine (w32tm /resync): it differs from the control plane's. Then run again.",
  ],
  [
    /none of the public keys/i,
    "The CA hash is another cluster's: look at what answers at the endpoint (Set-HostsEntry), then run again.",
  ],
  [
    /JWS signature|token id/i,
    "The token has expired or was deleted: run again, which makes a new one (cluster.tokenTtlMinutes).",
  ],
];

/** What to do about what kubeadm complained of; undefined where that is not known. */
export function joinRemedy(message: string): string | undefined {
  return complaints.find(([complaint]) => complaint.test(message))?.[1];
}

/** One join, as the script's Join-Cluster takes it. */
export interface JoinAttempt {
  /** Text of a JoinConfiguration; it contains the token. */
  readonly configuration: string;
  /** The token in it, hidden in what kubeadm writes. */
  readonly token: string;
  readonly criSocket: string;
  /** Identity of the cluster, recorded before each try. */
  readonly cluster: string;
  /** Command line of the service kubelet on this node. */
  readonly commandLine: string;
  /** Seconds all tries together may take. */
  readonly timeoutSeconds: number;
}

/** Joins, and where a node of this name still counts as Ready waits for the cluster to notice that it has gone. */
export async function joinCluster(context: StepContext, attempt: JoinAttempt): Promise<void> {
  const { host } = context;
  const deadline = Date.now() + attempt.timeoutSeconds * 1000;
  for (;;) {
    const left = Math.max(30, Math.round((deadline - Date.now()) / 1000));
    await host.services.stop("kubelet");
    await setKubeletService(host, attempt.commandLine, "manual");
    await setKubeletRecovery(host, true);
    await saveJoinRecord(host, attempt.cluster, true);
    try {
      await runKubeadmJoin(context, attempt, left);
      await saveJoinRecord(host, attempt.cluster, false);
      return;
    } catch (error) {
      const retry =
        error instanceof StepError &&
        error.message.includes("already exists in the cluster") &&
        Date.now() + 30_000 <= deadline;
      if (!retry) throw error;
    }
    context.progress("a node of this name is still Ready in the cluster; waiting for it to go");
    await resetMembership(context, attempt.criSocket, 120);
    await host.pause(10);
  }
}

/** Runs kubeadm with a configuration that exists as a file only while it runs, for the administrator only. */
async function runKubeadmJoin(
  context: StepContext,
  { configuration, token }: JoinAttempt,
  timeoutSeconds: number,
): Promise<void> {
  const { host } = context;
  const ignored = host.programs.ignoredPreflightErrors;
  await host.drive.makeFolder(stateFolder);
  await chmod(await host.drive.resolve(stateFolder), 0o700);
  await host.drive.write(configurationPath, configuration, true);
  const manager = new AbortController();
  const started = startKubeletOnRequest(context, manager.signal);
  try {
    await context.checkpoint();
    await runNative(context, {
      exe: "C:\\k\\kubeadm.exe",
      args: [
        "join",
        "--config",
        configurationPath,
        ...(ignored.length > 0 ? [`--ignore-preflight-errors=${ignored.join(",")}`] : []),
      ],
      timeoutSeconds,
      failureCode: "JoinFailed",
      timeoutCode: "JoinTimedOut",
      hidden: [token],
      remedy: `Read kubeadm's last lines above and ${kubeletLogPath}; the join can be run again.`,
    });
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    throw new StepError(error.code, error.message, joinRemedy(error.message) ?? error.remedy);
  } finally {
    manager.abort();
    await started;
    // A machine without power does nothing any more: the next step does it.
    if (!host.powerLost) await removeSecretRemains(host);
  }
}

/**
 * The service manager's part: on Windows kubeadm.exe asks it to start kubelet. Under Wine that request goes nowhere, so
 * it is made here when kubeadm has written the last file it writes before it.
 */
async function startKubeletOnRequest(context: StepContext, signal: AbortSignal): Promise<void> {
  const { drive, services } = context.host;
  while (!signal.aborted) {
    const flags = await drive.readText(flagsPath);
    if (flags?.trim()) {
      try {
        await services.start("kubelet");
      } catch (error) {
        // As on Windows: kubeadm goes on and says itself that kubelet is not healthy.
        context.progress(`the service kubelet did not start: ${String(error)}`);
      }
      return;
    }
    await sleep(100);
  }
}
