import { readFile } from "node:fs/promises";

import { projectRoot } from "../../toolchain/project.ts";
import type { Options } from "../command-line/options.ts";
import { kubeconfigFiles } from "../kubeconfig/config-file.ts";
import { mergeIntoFiles, refreshInFiles, removeFromFiles } from "../kubeconfig/lab-entries.ts";
import { labThatIsUp } from "../lab/outputs.ts";
import { say } from "../progress.ts";

/** `kindows kubeconfig`: prints a lab's kubeconfig or its path, merges it into the user's own, or removes it there. */
export async function kubeconfig(
  options: Options<"print" | "merge" | "use" | "force" | "remove">,
): Promise<void> {
  const { stack, print, merge, use, force, remove } = options;
  const origin = { project: projectRoot, stack };
  const files = kubeconfigFiles(process.env);
  if (remove) {
    const removed = await removeFromFiles(files, origin);
    for (const each of removed) say(`removed ${each}`);
    if (removed.length === 0) say(`the stack ${stack} has no entries in ${files.join(", ")}`);
    return;
  }
  const { lab, outputs, access } = await labThatIsUp(stack);
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
export async function refreshMerged(stack: string): Promise<void> {
  await refreshInFiles(
    kubeconfigFiles(process.env),
    { project: projectRoot, stack },
    async () => (await labThatIsUp(stack)).outputs.kubeconfig,
    say,
  );
}
