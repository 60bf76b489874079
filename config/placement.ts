import { otherHosts, type MakersHosts } from "../components/machine/machine-makers.ts";
import { machineOverheadMiB, thisHypervisor } from "./sections/machine-host.ts";
import type { NodesSection } from "./sections/nodes.ts";

/** Where a machine is that the lab does not make; no hypervisor has this name. */
export const itself = "";

export interface Placement {
  readonly node: string;
  readonly hypervisor: string;
  /** Memory used on the hypervisor, including its overhead, in MiB. */
  readonly memoryMiB: number;
  /** Why the node is placed there, as text for the user. */
  readonly reason: string;
}

interface Placed extends MakersHosts {
  readonly hypervisor: { readonly machineMemoryMiB?: number | undefined };
  readonly nodes: readonly Pick<
    NodesSection["nodes"][number],
    "name" | "os" | "hypervisor" | "memoryMiB" | "ssh"
  >[];
  readonly windows: { readonly memoryMiB: number };
  readonly linux: { readonly memoryMiB: number };
}

/**
 * Places each node on the hypervisor that it names, or else on the one with the most memory left of `machineMemoryMiB`;
 * among equals, on the first. Placement depends only on the settings and the order of the nodes, so neither the memory
 * that is free at the moment nor an appended node moves a node.
 */
export function placements(settings: Placed): Placement[] {
  const { hypervisor, nodes, ...sizes } = settings;
  const others = otherHosts(settings);
  const all = [{ name: thisHypervisor, ...hypervisor }, ...others.map(({ host }) => host)];
  const left = new Map(all.map((one) => [one.name, one.machineMemoryMiB ?? 0]));
  return nodes.map((node, index): Placement => {
    if (node.ssh !== undefined) {
      return { node: node.name, hypervisor: itself, memoryMiB: 0, reason: "it is there" };
    }
    const memoryMiB = (node.memoryMiB ?? sizes[node.os].memoryMiB) + machineOverheadMiB;
    const unfit = others.filter(({ maker }) => !maker.systems.includes(node.os));
    const possible = new Map(
      [...left].filter(([name]) => !unfit.some(({ host }) => host.name === name)),
    );
    const chosen = node.hypervisor ?? mostLeft(possible);
    const reason = reasonFor(node.hypervisor, index, possible);
    left.set(chosen, (left.get(chosen) ?? 0) - memoryMiB);
    return { node: node.name, hypervisor: chosen, memoryMiB, reason };
  });
}

function mostLeft(left: ReadonlyMap<string, number>): string {
  const [first] = [...left].sort(([, one], [, other]) => other - one);
  return first?.[0] ?? thisHypervisor;
}

function reasonFor(
  written: string | undefined,
  index: number,
  left: ReadonlyMap<string, number>,
): string {
  if (written !== undefined) return `kindows:nodes[${index}].hypervisor says so`;
  if (left.size === 1) return "it is the only hypervisor it can run on";
  const free = [...left].map(([name, memory]) => `${name} ${memory}`).join(", ");
  return `most memory is left there (MiB: ${free})`;
}
