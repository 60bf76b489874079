import { rmdir } from "node:fs/promises";
import type { Drive } from "../drive.ts";

/** The folders of a node, as lib/NodeFolders.ps1 has them. */
export const nodeFolders = [
  "C:\\k",
  "C:\\etc\\kubernetes",
  "C:\\etc\\cni",
  "C:\\etc\\calico",
  "C:\\etc\\kube-flannel",
  "C:\\opt\\cni",
  "C:\\var\\lib\\kubelet",
  "C:\\run\\flannel",
  "C:\\var\\lib\\calico",
  "C:\\var\\lib\\cni",
  "C:\\var\\run\\calico",
  "C:\\var\\log\\kubelet",
  "C:\\var\\log\\containerd",
  "C:\\var\\log\\pods",
  "C:\\var\\log\\containers",
  "C:\\var\\log\\calico",
  "C:\\var\\log\\flanneld",
  "C:\\Program Files\\containerd",
  "C:\\ProgramData\\containerd",
  "C:\\kindows\\state",
];

/** They go too when nothing is left in them, the innermost first. */
const parents = [
  "C:\\var\\lib",
  "C:\\var\\log",
  "C:\\var\\run",
  "C:\\var",
  "C:\\etc",
  "C:\\opt",
  "C:\\run",
];

/** Removes the folders of a node; those that were there. */
export async function removeNodeFolders(drive: Drive): Promise<string[]> {
  const removed: string[] = [];
  for (const path of nodeFolders) {
    if (await drive.remove(path)) removed.push(`folder ${path}`);
  }
  for (const path of parents) {
    // Not there, or something is left in it.
    await rmdir(await drive.resolve(path)).catch(() => undefined);
  }
  return removed;
}
