import { reachHyperVHost } from "../components/machine/hyper-v/reach-host.ts";
import { hyperVPlace } from "../components/machine/hyper-v/place.ts";
import { labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";

/** A Hyper-V host, as far as it is asked before anything is made. */
export interface HyperVFacts {
  readonly name: string;
  /** Why it cannot be logged in to, and what to do; undefined where it can. */
  readonly error?: string;
}

/**
 * Logs in to each Hyper-V host that nodes are placed on; all at once, in bounded time. What it has is looked at by a
 * script, which has to be copied there first: when the machines are made.
 */
export function gatherHyperV({ lab, nodes, hyperVHosts }: Settings): Promise<HyperVFacts[]> {
  const used = new Set(nodes.map(({ hypervisor }) => hypervisor));
  const hosts = hyperVHosts.filter(({ name }) => used.has(name));
  return Promise.all(
    hosts.map(async (host) => ({
      name: host.name,
      error: await reachHyperVHost(hyperVPlace(host, labNames(lab.name).prefix)),
    })),
  );
}
