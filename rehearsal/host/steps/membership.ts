import { readdir } from "node:fs/promises";
import * as z from "zod";
import type { StepContext } from "../step.ts";
import type { WindowsHost } from "../windows-host.ts";
import { kubeletCommandLine, setKubeletRecovery, setKubeletService } from "./kubelet-service.ts";
import { makeKubernetesFolders } from "./kubernetes-folders.ts";
import { runNative } from "./native-command.ts";
import { joinRecordPath } from "./secret-remains.ts";

const kubeletConfig = "C:\\etc\\kubernetes\\kubelet.conf";
const keyFolder = "C:\\var\\lib\\kubelet\\pki";
const recordSchema = z.strictObject({ cluster: z.string() });

/** What kubeadm and kubelet leave at a join, and kubeadm's preflight checks stumble over at the next one. */
const joinRemains = [
  kubeletConfig,
  "C:\\etc\\kubernetes\\bootstrap-kubelet.conf",
  "C:\\etc\\kubernetes\\pki\\ca.crt",
  "C:\\var\\lib\\kubelet\\config.yaml",
  "C:\\var\\lib\\kubelet\\instance-config.yaml",
  "C:\\var\\lib\\kubelet\\kubeadm-flags.env",
];

/** Whether anything of a join is on this machine, a finished one or one that was cut short. */
export async function hasJoinRemains({ drive }: WindowsHost): Promise<boolean> {
  for (const path of joinRemains) {
    if (await drive.isFile(path)) return true;
  }
  return false;
}

/**
 * Whether TLS bootstrap is through, so that this machine has credentials of its own: kubelet writes kubelet.conf before it
 * asks for its certificate.
 */
export async function hasNodeCredentials({ drive }: WindowsHost): Promise<boolean> {
  if (!(await drive.isFile(kubeletConfig)) || !(await drive.isFolder(keyFolder))) return false;
  const names = await readdir(await drive.resolve(keyFolder));
  return names.some((name) => /^kubelet-client-.*\.pem$/.test(name));
}

/** Identity of a cluster as text: its endpoint and the hashes of its CA. */
export function clusterIdentity(endpoint: string, caCertHashes: readonly string[]): string {
  return [endpoint, ...[...caCertHashes].sort()].join(" ");
}

/** Identity of the cluster this machine has joined by the join step; undefined also for a join that was cut short. */
export async function getJoinRecord({ drive }: WindowsHost): Promise<string | undefined> {
  const text = await drive.readText(joinRecordPath);
  try {
    return recordSchema.safeParse(JSON.parse(text ?? "{}")).data?.cluster;
  } catch {
    return undefined; // a power cut may have left half of it
  }
}

/** Records which cluster is being joined, or has been. */
export async function saveJoinRecord(
  { drive }: WindowsHost,
  cluster: string,
  joining: boolean,
): Promise<void> {
  await drive.write(joinRecordPath, JSON.stringify(joining ? { joining: cluster } : { cluster }));
}

/** Takes this machine out of its cluster: kubeadm reset, then whatever that leaves; kubelet stopped and manual. */
export async function resetMembership(
  context: StepContext,
  criSocket: string,
  timeoutSeconds: number,
): Promise<void> {
  const { host } = context;
  // Manual and without the node's arguments first: a kubelet that is restarted after this has nothing to join with.
  await setKubeletService(host, kubeletCommandLine([]), "manual");
  await setKubeletRecovery(host, false);
  await host.services.stop("kubelet");
  await runNative(context, {
    exe: "C:\\k\\kubeadm.exe",
    args: ["reset", "--force", "--cri-socket", criSocket],
    timeoutSeconds,
    failureCode: "ResetFailed",
    timeoutCode: "ResetFailed",
    remedy: "Look whether containerd runs and whether pods hang; then run again.",
  });
  const keys = [keyFolder, "C:\\etc\\kubernetes\\pki"];
  for (const path of [...joinRemains, ...keys]) await host.drive.remove(path);
  await makeKubernetesFolders(host.drive);
  await host.drive.remove(joinRecordPath);
}
