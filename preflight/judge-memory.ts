import type { Settings } from "../config/settings.ts";
import { needs } from "./footprint.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

/** What is still to be made fits into the memory that can be had. */
export function judgeMemory(settings: Settings, facts: HostFacts): HostProblem[] {
  const needed = needs(settings, facts).filter(({ memoryMiB }) => memoryMiB > 0);
  const total = needed.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
  const { availableMiB, totalMiB } = facts.memory;
  return total <= availableMiB
    ? []
    : [
        {
          subject: "Memory",
          why: `of ${total} MiB is needed (${needed.map((one) => `${one.what} ${one.memoryMiB}`).join(", ")}), ${availableMiB} of ${totalMiB} MiB are available`,
          instead:
            "Have fewer nodes, write less for kindows:windows.memoryMiB, or stop something else.",
        },
      ];
}
