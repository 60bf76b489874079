import type { HostProblem } from "../../../config/host-problem.ts";
import { labNames } from "../../../config/names.ts";
import { pathText, unless } from "../../../config/problem.ts";
import type { HyperVHostSettings, HyperVSection } from "./settings.ts";
import { messageOf } from "../../../host/failure.ts";
import type { MakerSettings } from "../machine-maker.ts";
import { dialHyperVHost } from "./host-session.ts";
import { hyperVTarget } from "./parameters.ts";

const reachSeconds = 30;

/**
 * Checks that the Hyper-V hosts that have nodes can be logged in to. The hosts themselves are checked later, when
 * machines are made, because that needs scripts on the hosts.
 */
export async function hostProblems(
  settings: MakerSettings & HyperVSection,
): Promise<HostProblem[]> {
  const { lab, nodes, hyperVHosts } = settings;
  const used = new Set(nodes.map(({ hypervisor }) => hypervisor));
  const problems = await Promise.all(
    hyperVHosts.map(async (host, index) => {
      if (!used.has(host.name)) return [];
      const target = hyperVTarget(host, labNames(lab.name).prefix);
      const error = await dialHyperVHost(target, reachSeconds, () => Promise.resolve()).then(
        () => undefined,
        messageOf,
      );
      return unreachable(host, index, error);
    }),
  );
  return problems.flat();
}

/** @param error why the host cannot be logged in to; undefined if it can. */
export function unreachable(
  { name, user, address, port }: HyperVHostSettings,
  index: number,
  error: string | undefined,
): HostProblem[] {
  return unless(error === undefined, {
    subject: `The Hyper-V host ${name} (${user}@${address}:${port})`,
    why: `cannot be logged in to: ${error}`,
    instead: `Its settings are ${pathText(["hyperVHosts", index])}.`,
  });
}
