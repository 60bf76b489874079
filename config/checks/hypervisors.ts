import { machineMakers, otherHosts, type OtherHost } from "../../components/machine/registry.ts";
import { thisHypervisor } from "../sections/machine-host.ts";
import { machineOverheadMiB, placements } from "../placement.ts";
import { pathText } from "../problem.ts";
import type { Check, SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** The sections that list hosts. */
const sections = Object.keys(machineMakers);

/** Every hypervisor, of whatever kind, has a name and a host of its own. */
export const hypervisorsApart: Check<NamedSettings> = {
  reads: sections,
  run(settings) {
    const listed = otherHosts(settings);
    return listed.flatMap((one, place): SettingsProblem[] => [
      ...(one.host.name === thisHypervisor
        ? [
            {
              path: [...one.path, "name"],
              value: one.host.name,
              why: "is what the hypervisor of this host is called",
              instead: "Write another name.",
            },
          ]
        : []),
      ...twice(listed, place, "name", one.host.name, ({ host }) => host.name),
      ...twice(listed, place, ...placeOf(one), ({ host, maker }) => maker.place(host).server),
    ]);
  },
};

/** The setting that says where a host is, and its value. */
function placeOf({ host, maker }: OtherHost): readonly [setting: string, value: string] {
  const { setting, value } = maker.place(host);
  return [setting, value];
}

function twice(
  all: readonly OtherHost[],
  place: number,
  key: string,
  value: string,
  identity: (one: OtherHost) => string,
): SettingsProblem[] {
  const own = all[place];
  const first = all.findIndex((one) => own !== undefined && identity(one) === identity(own));
  const earlier = all[first];
  return own === undefined || earlier === undefined || first === place
    ? []
    : [
        {
          path: [...own.path, key],
          value,
          why: `is that of ${pathText(earlier.path)}${key === "name" ? "" : ` (${earlier.host.name})`} too`,
          instead:
            key === "name" ? "Write another one." : "List each host once, for all its machines.",
        },
      ];
}

/** Nodes are placed on existing hypervisors. */
export const placedSomewhere: Check<NamedSettings> = {
  reads: sections,
  run({ nodes, ...settings }) {
    const names = [thisHypervisor, ...otherHosts(settings).map(({ host }) => host.name)];
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

/** If nodes are spread, the memory to spread them by is set. */
export const spreadBySomething: Check<NamedSettings> = {
  reads: ["hypervisor", ...sections],
  run({ hypervisor, nodes, ...settings }) {
    const listed = otherHosts(settings);
    const spread = nodes.find(
      (node) =>
        node.hypervisor === undefined &&
        listed.some(({ maker }) => maker.systems.includes(node.os)),
    );
    if (spread === undefined) {
      return [];
    }
    const path = (...rest: (string | number)[]) => [...rest, "machineMemoryMiB"];
    return [
      { path: path("hypervisor"), memory: hypervisor.machineMemoryMiB },
      ...listed.map((one) => ({ path: path(...one.path), memory: one.host.machineMemoryMiB })),
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
export const placedWithin: Check<NamedSettings> = {
  reads: ["hypervisor", ...sections, "windows.memoryMiB", "linux.memoryMiB"],
  run(settings) {
    const all = placements(settings);
    return [
      { name: thisHypervisor, path: ["hypervisor"], ...settings.hypervisor },
      ...otherHosts(settings).map(({ host, path }) => ({ ...host, path })),
    ].flatMap(({ name, path, machineMemoryMiB }): SettingsProblem[] => {
      const there = all.filter(({ hypervisor }) => hypervisor === name);
      const needed = there.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
      return machineMemoryMiB === undefined || needed <= machineMemoryMiB
        ? []
        : [
            {
              path: [...path, "machineMemoryMiB"],
              value: machineMemoryMiB,
              why: `is too little for what is placed there: ${there.map((one) => `${one.node} ${one.memoryMiB}`).join(", ")} (${machineOverheadMiB} of each are the hypervisor's own), ${needed} together`,
              instead:
                "Write more, if the host has it, place nodes elsewhere, or write less for kindows:windows.memoryMiB.",
            },
          ];
    });
  },
};
