import type { Settings } from "../settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "./host-problem.ts";

/** What Linux machines start from and get is made, where there are any. */
export function judgeLinuxMedia({ linuxNodes }: Settings, facts: HostFacts): HostProblem[] {
  return linuxNodes.length === 0 || facts.linuxMedia === "there"
    ? []
    : [
        {
          subject: "The disk and the programs of Linux machines",
          why: "are not made yet",
          instead: "Run `./kindows prepare`.",
        },
      ];
}
