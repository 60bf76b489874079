import { thisHypervisor } from "./sections/hypervisors.ts";
import type { WrittenSettings } from "./settings.ts";

/** Of the hypervisor itself (QEMU, vmwp.exe), beside the machine's memory. */
export const machineOverheadMiB = 256;

/** Where one node's machine runs, and why. */
export interface Placement {
  readonly node: string;
  /** Name of a hypervisor; `local` for the one of this host. */
  readonly hypervisor: string;
  /** Taken from the hypervisor's memory, in MiB. */
  readonly memoryMiB: number;
  /** For people. */
  readonly reason: string;
}

/** What placing depends on. */
export interface Placed {
  readonly hypervisor: Pick<WrittenSettings["hypervisor"], "machineMemoryMiB">;
  readonly hypervisors: readonly Pick<
    WrittenSettings["hypervisors"][number],
    "name" | "machineMemoryMiB"
  >[];
  readonly hyperVHosts: readonly Pick<
    WrittenSettings["hyperVHosts"][number],
    "name" | "machineMemoryMiB"
  >[];
  readonly nodes: readonly Pick<
    WrittenSettings["nodes"][number],
    "name" | "os" | "hypervisor" | "memoryMiB"
  >[];
  readonly windows: Pick<WrittenSettings["windows"], "memoryMiB">;
  readonly linux: Pick<WrittenSettings["linux"], "memoryMiB">;
}

/**
 * Places nodes on hypervisors: where the node says, else where most of the memory written in the settings is left, the
 * first of several equals.
 *
 * From the settings alone and in the nodes' order: what is free on the hosts at the moment moves no node, and neither
 * does one that is appended. Whether all fits is a check's business.
 */
export function placements(settings: Placed): Placement[] {
  const { hypervisor, hypervisors, hyperVHosts, nodes, ...sizes } = settings;
  const all = [{ name: thisHypervisor, ...hypervisor }, ...hypervisors, ...hyperVHosts];
  const left = new Map(all.map((one) => [one.name, one.machineMemoryMiB ?? 0]));
  const onlyWindows = hyperVHosts.map(({ name }) => name);
  return nodes.map((node, index): Placement => {
    const memoryMiB = (node.memoryMiB ?? sizes[node.os].memoryMiB) + machineOverheadMiB;
    const possible = new Map(
      [...left].filter(([name]) => node.os === "windows" || !onlyWindows.includes(name)),
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
  if (written !== undefined) {
    return `kindows:nodes[${index}].hypervisor says so`;
  }
  if (left.size === 1) {
    return "it is the only hypervisor it can run on";
  }
  const free = [...left].map(([name, memory]) => `${name} ${memory}`).join(", ");
  return `most memory is left there (MiB: ${free})`;
}
