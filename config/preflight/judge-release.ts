import type { Settings } from "../settings.ts";
import type { HostProblem } from "./host-problem.ts";

/** What the settings may name already, so that a preview shows it, but this release does not make yet. */
export function judgeRelease({ cni, windows }: Settings): HostProblem[] {
  const problems: HostProblem[] = [];
  if (cni.kind === "calico") {
    problems.push({
      subject: 'kindows:cni.kind: "calico"',
      why: "comes with a later release; this one only previews it",
      instead: 'Write "kind-default" (no network for Windows pods), or use the stack rehearsal.',
    });
  }
  if (windows.image.kind === "evaluation-iso") {
    problems.push({
      subject: 'kindows:windows.image.kind: "evaluation-iso"',
      why: "comes with a later release; this one only previews it",
      instead:
        "Write { kind: disk, path: ... } with a disk you prepared, or use the stack rehearsal.",
    });
  }
  return problems;
}
