/** Parameters of a step that determine which programs it installs. */
const pattern = /-(?:Version|ArchiveSha256|KubeletSha256|KubeLogRunnerSha256) (\S+)/g;

/**
 * Whether a changed command of a step replaces programs that a node's pods depend on: containerd, kubelet. An edited script,
 * or other mirrors, do not.
 */
export function replacesPrograms(before: unknown, now: unknown): boolean {
  return programs(before) !== programs(now);
}

function programs(command: unknown): string {
  return typeof command === "string"
    ? [...command.matchAll(pattern)].map(([, value]) => value).join(" ")
    : "";
}
