import { inContainer } from "../../e2e/lab.ts";

/** A rule without a target: the kernel counts what it fits, and does nothing to it. */
const rule = ["-p", "udp", "--dport", "4789"];

/** Counts the packets that node containers send in Flannel's VXLAN. */
export class VxlanCount {
  constructor(private readonly containers: readonly string[]) {}

  async begin(): Promise<void> {
    for (const container of this.containers) await iptables(container, "-I", "OUTPUT", ...rule);
  }

  /** How many each container has sent since then. */
  async end(): Promise<readonly number[]> {
    const counts: number[] = [];
    for (const container of this.containers) {
      const listed = await iptables(container, "-nvxL", "OUTPUT", "1");
      counts.push(Number(/^\s*(\d+)/.exec(listed)?.[1] ?? Number.NaN));
      await iptables(container, "-D", "OUTPUT", ...rule);
    }
    return counts;
  }
}

async function iptables(container: string, ...args: readonly string[]): Promise<string> {
  return inContainer(container, "iptables", "-w", "5", ...args);
}
