import { machineMakers, otherHosts } from "../../components/machine/registry.ts";
import { leastLinuxDiskGiB } from "../sections/linux.ts";
import type { Check, SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

type Node = NamedSettings["nodes"][number];

/** What the program gives a Linux node's kubelet itself (components/linux/steps.ts), and a Windows node's not. */
const ownArguments = ["cgroup-root"];

/** Linux machines are where their image is, large enough for it, and keep the arguments that they need. */
export const linuxMachines: readonly Check<NamedSettings>[] = [
  {
    reads: Object.keys(machineMakers),
    run: (settings) =>
      ofLinux(settings.nodes, ({ hypervisor }, index) =>
        otherHosts(settings)
          .filter(({ host, maker }) => host.name === hypervisor && !maker.systems.includes("linux"))
          .map(({ maker: { title } }) => ({
            path: ["nodes", index, "hypervisor"],
            value: hypervisor,
            why: `can't run a Linux machine: on ${title} only Windows machines are made`,
            instead: "Write one with libvirt, or leave it out.",
          })),
      ),
  },
  {
    reads: ["linux.diskGiB"],
    run: ({ linux, nodes }) => [
      ...diskProblem(["linux", "diskGiB"], linux.diskGiB),
      ...ofLinux(nodes, ({ diskGiB }, index) => diskProblem(["nodes", index, "diskGiB"], diskGiB)),
    ],
  },
  {
    reads: [],
    run: ({ nodes }) =>
      ofLinux(nodes, ({ kubeletArgs }, index) =>
        Object.entries(kubeletArgs).flatMap(([name, value]): SettingsProblem[] => {
          const path = ["nodes", index, "kubeletArgs", name];
          if (ownArguments.includes(name)) {
            const why = "is given to every Linux node's kubelet by this program";
            return [{ path, value, why, instead: "Leave it out." }];
          }
          return /[\\'`$;]/.test(value)
            ? [
                {
                  path,
                  value,
                  why: "can't stand in the command line of a Linux service",
                  instead: "Write it without quotes, backslashes, $ and semicolons.",
                },
              ]
            : [];
        }),
      ),
  },
];

function ofLinux(
  nodes: readonly Node[],
  check: (node: Node, index: number) => SettingsProblem[],
): SettingsProblem[] {
  return nodes.flatMap((node, index) => (node.os === "linux" ? check(node, index) : []));
}

function diskProblem(path: SettingsProblem["path"], value: number | undefined): SettingsProblem[] {
  return value === undefined || value >= leastLinuxDiskGiB
    ? []
    : [
        {
          path,
          value,
          why: "is too little for a Linux node's image, programs and containers",
          instead: `Write ${leastLinuxDiskGiB} or more.`,
        },
      ];
}
