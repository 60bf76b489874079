import { chmod } from "node:fs/promises";
import type { Drive } from "../drive.ts";

/** Creates the folders kubeadm and kubelet expect; those that hold keys are closed to everybody but the administrator. */
export async function makeKubernetesFolders(drive: Drive): Promise<void> {
  for (const path of ["C:\\k", "C:\\var\\log\\kubelet", "C:\\var\\lib\\kubelet"]) {
    await drive.makeFolder(path);
  }
  for (const path of ["C:\\etc\\kubernetes", "C:\\var\\lib\\kubelet\\pki"]) {
    await drive.makeFolder(path);
    await chmod(await drive.resolve(path), 0o700);
  }
  for (const path of ["C:\\etc\\kubernetes\\pki", "C:\\etc\\kubernetes\\manifests"]) {
    await drive.makeFolder(path);
  }
}
