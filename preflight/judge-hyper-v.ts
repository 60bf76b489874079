import { pathText } from "../config/problem.ts";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

/** Every Hyper-V host that has nodes can be logged in to. */
export function judgeHyperV(settings: Settings, facts: HostFacts): HostProblem[] {
  return facts.hyperVHosts.flatMap(({ name, error }) => {
    const index = settings.hyperVHosts.findIndex((host) => host.name === name);
    const host = settings.hyperVHosts[index];
    return error === undefined || host === undefined
      ? []
      : [
          {
            subject: `The Hyper-V host ${name} (${host.user}@${host.address}:${host.port})`,
            why: `cannot be logged in to: ${error}`,
            instead: `Its settings are ${pathText(["hyperVHosts", index])}.`,
          },
        ];
  });
}
