import { leastLinuxDiskGiB } from "../linux-settings.ts";
import type { SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";
import type { Check } from "./check.ts";
import { namedFileProblems } from "./named-file.ts";

type Node = NamedSettings["nodes"][number];

/** What the program gives a Linux node's kubelet itself (components/linux/linux-node.ts), and a Windows node's not. */
const ownArguments = ["cgroup-root"];

/** Linux machines are where their image is, large enough for it, and keep the arguments that they need. */
export const linuxMachines: readonly Check[] = [
  {
    reads: ["hyperVHosts"],
    run: ({ hyperVHosts, nodes }) =>
      ofLinux(nodes, ({ hypervisor }, index) =>
        hyperVHosts.some(({ name }) => name === hypervisor)
          ? [
              {
                path: ["nodes", index, "hypervisor"],
                value: hypervisor,
                why: "can't run a Linux machine: on Hyper-V only Windows machines are made",
                instead: "Write one with libvirt, or leave it out.",
              },
            ]
          : [],
      ),
  },
  {
    reads: ["linux.image", "linux.image.path", "linux.image.url", "linux.image.sha256"],
    run: ({ linux: { image } }) => [
      ...namedFileProblems(image, ["linux", "image"]),
      ...installerProblem(image.path ?? image.url, image.path === undefined ? "url" : "path"),
    ],
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
  judge: (node: Node, index: number) => SettingsProblem[],
): SettingsProblem[] {
  return nodes.flatMap((node, index) => (node.os === "linux" ? judge(node, index) : []));
}

/** Files that are published beside cloud images, and are none by their names. */
function installerProblem(file: string | undefined, key: "path" | "url"): SettingsProblem[] {
  const found = /\.(iso|xz|gz|zip|tar|ova|vmdk)$/i.exec(file ?? "")?.[1]?.toLowerCase();
  return found === undefined
    ? []
    : [
        {
          path: ["linux", "image", key],
          value: file,
          why: `is ${found === "iso" ? "an installer" : "no disk as machines have it"} by its name`,
          instead:
            found === "iso" || found === "vmdk" || found === "ova"
              ? "Write that of a cloud image: Debian's end in .qcow2, Ubuntu's in .img."
              : "Unpack it and write the path of the disk in it.",
        },
      ];
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
