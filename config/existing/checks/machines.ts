import { pathText } from "../../problem.ts";
import type { SettingsProblem } from "../../problem.ts";
import type { ExistingCheck } from "../check.ts";
import type { WrittenExisting } from "../settings.ts";

type Node = WrittenExisting["nodes"][number];

/** Only Windows machines are joined. */
export const onlyWindows: ExistingCheck = {
  reads: [],
  run: ({ nodes }) =>
    nodes.flatMap(({ os }, index) =>
      os === "windows"
        ? []
        : [
            {
              path: ["nodes", index, "os"],
              value: os,
              why: "cannot be joined from here: only Windows machines are",
              instead: "Join it by the means of its own cluster, and leave it out here.",
            },
          ],
    ),
};

/** No two machines share what tells them apart. */
export const machinesApart: ExistingCheck = {
  reads: [],
  run: ({ nodes }) => [
    ...twice(nodes, "name", ({ name }) => name, "Write another name."),
    ...twice(nodes, "address", ({ address }) => address, "Write the machine's own address."),
    ...twice(
      nodes,
      "nodeIp",
      (node) => node.nodeIp ?? node.address,
      "Write the machine's own address.",
    ).filter(({ value }) => value !== undefined),
    ...twice(
      nodes,
      "hostKey",
      ({ hostKey }) => hostKey.trim().split(/\s+/)[1],
      "Machines cloned with their keys are not told apart: make new ones (delete C:\\ProgramData\\ssh\\ssh_host_*, restart sshd).",
    ),
  ],
};

function twice(
  nodes: readonly Node[],
  key: "name" | "address" | "nodeIp" | "hostKey",
  same: (node: Node) => string | undefined,
  instead: string,
): SettingsProblem[] {
  return nodes.flatMap((node, index) => {
    const first = nodes.findIndex((other) => same(other) === same(node));
    return first === index
      ? []
      : [
          {
            path: ["nodes", index, key],
            value: node[key],
            why: `is that of ${pathText(["nodes", first])} (${nodes[first]?.name ?? ""}) too`,
            instead,
          },
        ];
  });
}
