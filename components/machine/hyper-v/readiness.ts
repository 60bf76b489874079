import type { HostProblem } from "../../../config/host-problem.ts";
import { labNames } from "../../../config/names.ts";
import { pathText, unless } from "../../../config/problem.ts";
import type { Settings } from "../../../config/settings.ts";
import { messageOf } from "../../../host/failure.ts";
import { dialHyperVHost } from "./host-session.ts";
import { type HyperVHostParameter, hyperVPlace } from "./parameters.ts";

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
      const error = await reachHyperVHost(hyperVPlace(host, labNames(lab.name).prefix));
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

const reachSeconds = 30;

/** Why a Hyper-V host cannot be logged in to, and what to do about it; undefined where it can. Nothing is done there. */
export async function reachHyperVHost(
  host: Omit<HyperVHostParameter, "owner">,
): Promise<string | undefined> {
  try {
    await dialHyperVHost(host, reachSeconds, () => Promise.resolve());
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
