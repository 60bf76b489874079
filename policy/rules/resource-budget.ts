import type { Previewed } from "../../cli/preview-diff/previewed.ts";
import type { Rule, Violation } from "../rule.ts";

const bytesPerGiB = 1024 ** 3;

/** A stack must stay within the limits, so that a typo is reported before the host runs out of memory. */
export const resourceBudget: Rule = {
  name: "resource-budget",
  description: "a stack stays within policy/limits.yaml",
  check: (preview, limits) => {
    const sums = [
      ["resources", preview.resources.length, limits.resources, "resources"],
      [
        "machineMemoryMiB",
        sum(preview, "libvirt:index/domain:Domain", "memory"),
        limits.machineMemoryMiB,
        "MiB of memory for machines",
      ],
      [
        "machineCpus",
        sum(preview, "libvirt:index/domain:Domain", "vcpu"),
        limits.machineCpus,
        "virtual processors",
      ],
      [
        "machineDiskGiB",
        Math.ceil(sum(preview, "libvirt:index/volume:Volume", "size") / bytesPerGiB),
        limits.machineDiskGiB,
        "GiB of disks",
      ],
    ] as const;
    return sums.flatMap(([limit, value, most, what]): readonly Violation[] =>
      value <= most
        ? []
        : [
            {
              message: `${value} ${what}, and ${most} are allowed: ask for less, or raise ${limit} in policy/limits.yaml`,
            },
          ],
    );
  },
};

/** Sum over all resources of a type; unknown values count as 0. */
function sum({ resources }: Previewed, type: string, input: string): number {
  return resources
    .filter((resource) => resource.type === type)
    .map(({ inputs }) => inputs[input])
    .reduce((total: number, value) => total + (typeof value === "number" ? value : 0), 0);
}
