import { thisHypervisor } from "../hypervisor-settings.ts";
import { machineOverheadMiB, placements } from "../placement.ts";
import { pathText } from "../problem.ts";
import type { SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";
import type { Check } from "./check.ts";

/** Every hypervisor has a name and a host of its own. */
export const hypervisorsApart: Check = {
  reads: ["hypervisors"],
  run: ({ hypervisors }) =>
    hypervisors.flatMap(({ name, uri }, index): SettingsProblem[] => [
      ...(name === thisHypervisor
        ? [
            {
              path: ["hypervisors", index, "name"],
              value: name,
              why: "is what the hypervisor of this host is called",
              instead: "Write another name.",
            },
          ]
        : []),
      ...twice(hypervisors, index, "name", name, (one) => one.name),
      ...twice(hypervisors, index, "uri", uri, (one) => serverOf(one.uri)),
    ]),
};

type Remote = NamedSettings["hypervisors"][number];

function twice(
  all: readonly Remote[],
  index: number,
  key: "name" | "uri",
  value: string,
  identity: (one: Remote) => string,
): SettingsProblem[] {
  const own = all[index];
  const first = all.findIndex((one) => own !== undefined && identity(one) === identity(own));
  return first === index
    ? []
    : [
        {
          path: ["hypervisors", index, key],
          value,
          why: `is that of ${pathText(["hypervisors", first])}${key === "uri" ? ` (${all[first]?.name ?? ""})` : ""} too`,
          instead:
            key === "uri" ? "List each host once, for all its machines." : "Write another one.",
        },
      ];
}

/** Where an address leads, whoever logs in: two accounts of one host are one hypervisor. */
function serverOf(uri: string): string {
  const { host } = new URL(uri);
  return host.toLowerCase().replace(/:22$/, "");
}

/** Nodes are placed on hypervisors that there are. */
export const placedSomewhere: Check = {
  reads: ["hypervisors"],
  run({ hypervisors, nodes }) {
    const names = [thisHypervisor, ...hypervisors.map(({ name }) => name)];
    // A name with a mistake has another one in its place here (config/repair.ts): it may be the one that is meant.
    if (names.some((name) => name.startsWith("unnamed-"))) {
      return [];
    }
    return nodes.flatMap(({ hypervisor }, index): SettingsProblem[] =>
      hypervisor === undefined || names.includes(hypervisor)
        ? []
        : [
            {
              path: ["nodes", index, "hypervisor"],
              value: hypervisor,
              why: "is no hypervisor of this lab",
              instead: `Write ${names.join(" or ")}.`,
            },
          ],
    );
  },
};

/** Where nodes are spread, it is known by what. */
export const spreadBySomething: Check = {
  reads: ["hypervisor", "hypervisors"],
  run({ hypervisor, hypervisors, nodes }) {
    const spread = nodes.find((node) => node.os === "windows" && node.hypervisor === undefined);
    if (hypervisors.length === 0 || spread === undefined) {
      return [];
    }
    const path = (...rest: (string | number)[]) => [...rest, "machineMemoryMiB"];
    return [
      { path: path("hypervisor"), memory: hypervisor.machineMemoryMiB },
      ...hypervisors.map((one, index) => ({
        path: path("hypervisors", index),
        memory: one.machineMemoryMiB,
      })),
    ]
      .filter(({ memory }) => memory === undefined)
      .map((one) => ({
        path: one.path,
        value: undefined,
        why: `is missing, and ${spread.name} is placed nowhere: nodes are spread by it`,
        instead:
          "Write how much memory the lab's machines may have there, or place every node by nodes[].hypervisor.",
      }));
  },
};

/** What is placed on a hypervisor fits into the memory written for it. */
export const placedWithin: Check = {
  reads: ["hypervisor", "hypervisors", "windows.memoryMiB", "linux.memoryMiB"],
  run(settings) {
    const all = placements(settings);
    return [
      { name: thisHypervisor, path: ["hypervisor"], ...settings.hypervisor },
      ...settings.hypervisors.map((one, index) => ({ ...one, path: ["hypervisors", index] })),
    ].flatMap(({ name, path, machineMemoryMiB }): SettingsProblem[] => {
      const there = all.filter(({ hypervisor }) => hypervisor === name);
      const needed = there.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
      return machineMemoryMiB === undefined || needed <= machineMemoryMiB
        ? []
        : [
            {
              path: [...path, "machineMemoryMiB"],
              value: machineMemoryMiB,
              why: `is too little for what is placed there: ${there.map((one) => `${one.node} ${one.memoryMiB}`).join(", ")} (${machineOverheadMiB} of each are QEMU's own), ${needed} together`,
              instead:
                "Write more, if the host has it, place nodes elsewhere, or write less for kindows:windows.memoryMiB.",
            },
          ];
    });
  },
};
