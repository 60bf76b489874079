import type { HostProblem } from "../../../config/host-problem.ts";
import { labNames } from "../../../config/names.ts";
import { pathText, unless } from "../../../config/problem.ts";
import type { Settings } from "../../../config/settings.ts";
import { messageOf } from "../../../host/failure.ts";
import { dialHyperVHost } from "./host-session.ts";
import { hyperVPlace } from "./parameters.ts";

const reachSeconds = 30;

/**
 * What is in the way of logging in to the Hyper-V hosts that nodes are placed on. What a host has is looked at by a
 * script, which has to be copied there first: when the machines are made.
 */
export async function hostProblems(settings: Settings): Promise<HostProblem[]> {
  const { lab, nodes, hyperVHosts } = settings;
  const used = new Set(nodes.map(({ hypervisor }) => hypervisor));
  const problems = await Promise.all(
    hyperVHosts.map(async (host, index) => {
      if (!used.has(host.name)) return [];
      const place = hyperVPlace(host, labNames(lab.name).prefix);
      const error = await dialHyperVHost(place, reachSeconds, () => Promise.resolve()).then(
        () => undefined,
        messageOf,
      );
      return unreachable(host, index, error);
    }),
  );
  return problems.flat();
}

/** @param error why it cannot be logged in to; undefined where it can. */
export function unreachable(
  { name, user, address, port }: Settings["hyperVHosts"][number],
  index: number,
  error: string | undefined,
): HostProblem[] {
  return unless(error === undefined, {
    subject: `The Hyper-V host ${name} (${user}@${address}:${port})`,
    why: `cannot be logged in to: ${error}`,
    instead: `Its settings are ${pathText(["hyperVHosts", index])}.`,
  });
}
