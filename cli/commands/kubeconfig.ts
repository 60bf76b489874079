import { readFile } from "node:fs/promises";

import { projectRoot } from "../../toolchain/project.ts";
import type { Options } from "../command-line/options.ts";
import { kubeconfigFiles } from "../kubeconfig/config-file.ts";
import { mergeIntoFiles, refreshInFiles, removeFromFiles } from "../kubeconfig/lab-entries.ts";
import { remoteServer } from "../../config/sections/api-server.ts";
import { Failure } from "../../host/failure.ts";
import { remoteKubeconfig } from "../../host/kubernetes/kubeconfig.ts";
import { labThatIsUp } from "../lab/outputs.ts";
import { stackSettings } from "../stack-settings.ts";
import { say } from "../progress.ts";

/** `kindows kubeconfig`: prints a lab's kubeconfig, one for other computers or its path, merges it into the user's own, or removes it there. */
export async function kubeconfig(
  options: Options<"print" | "remote" | "merge" | "use" | "force" | "remove">,
): Promise<void> {
  const { stack, print, remote, merge, use, force, remove } = options;
  const origin = { project: projectRoot, stack };
  const files = kubeconfigFiles(process.env);
  if (remove) {
    const removed = await removeFromFiles(files, origin);
    for (const each of removed) say(`removed ${each}`);
    if (removed.length === 0) say(`the stack ${stack} has no entries in ${files.join(", ")}`);
    return;
  }
  const { lab, outputs, access } = await labThatIsUp(stack);
  if (remote) {
    const { apiServer } = (await stackSettings(stack)).cluster;
    if (apiServer === undefined) {
      throw new Failure(
        "other computers do not reach this lab's API server: set kindows:cluster.apiServer, which replaces the cluster",
      );
    }
    process.stdout.write(remoteKubeconfig(outputs.kubeconfig, remoteServer(apiServer)));
    return;
  }
  if (!merge) {
    process.stdout.write(
      print ? await readFile(access.kubeconfig, "utf8") : `${access.kubeconfig}\n`,
    );
    return;
  }
  const merged = await mergeIntoFiles(files, outputs.kubeconfig, { origin, use, force });
  for (const each of merged.overwritten) say(`overwrote the ${each} in ${merged.file}`);
  say(`the context ${lab} is in ${merged.file}${merged.written ? "" : " already"}`);
  say(
    use ? "it is kubectl's current context now" : `to use it: kubectl --context ${lab} get nodes`,
  );
}

/** After `up`: updates the entries that `--merge` added to the user's kubeconfig. */
export async function refreshMerged(stack: string, labKubeconfig: string): Promise<void> {
  await refreshInFiles(
    kubeconfigFiles(process.env),
    { project: projectRoot, stack },
    labKubeconfig,
    say,
  );
}
