/** Values of a step's command line that say which programs of a running node it installs. */
const pattern = /-(?:Version|ArchiveSha256|KubeletSha256|KubeLogRunnerSha256) (\S+)/g;

/**
 * Whether a step's command, run after another of the same step, puts other programs in the place of those a node's pods
 * live on: containerd, kubelet. A step that is edited, or gets other mirrors, does not.
 */
export function replacesPrograms(before: unknown, now: unknown): boolean {
  return programs(before) !== programs(now);
}

function programs(command: unknown): string {
  return typeof command === "string"
    ? [...command.matchAll(pattern)].map(([, value]) => value).join(" ")
    : "";
}
