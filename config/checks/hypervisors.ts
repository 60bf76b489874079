import { thisHypervisor } from "../sections/hypervisors.ts";
import { machineOverheadMiB, placements } from "../placement.ts";
import { pathText } from "../problem.ts";
import type { Check, SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** Every hypervisor, of either kind, has a name and a host of its own. */
export const hypervisorsApart: Check<NamedSettings> = {
  reads: ["hypervisors", "hyperVHosts"],
  run(settings) {
    const listed = listedHypervisors(settings);
    return listed.flatMap((one, place): SettingsProblem[] => [
      ...(one.name === thisHypervisor
        ? [
            {
              path: [...one.path, "name"],
              value: one.name,
              why: "is what the hypervisor of this host is called",
              instead: "Write another name.",
            },
          ]
        : []),
      ...twice(listed, place, "name", one.name, (each) => each.name),
      ...twice(listed, place, one.at, one.where, (each) => each.server),
    ]);
  },
};

/** A hypervisor of either list. */
interface Listed {
  readonly path: SettingsProblem["path"];
  readonly name: string;
  /** The setting that says where it is, and its value. */
  readonly at: "uri" | "address";
  readonly where: string;
  /** The same in one form for all: two accounts of one host are one hypervisor. */
  readonly server: string;
  readonly machineMemoryMiB: number | undefined;
}

function listedHypervisors({
  hypervisors,
  hyperVHosts,
}: Pick<NamedSettings, "hypervisors" | "hyperVHosts">): Listed[] {
  return [
    ...hypervisors.map(({ name, uri, machineMemoryMiB }, index): Listed => ({
      ...{ name, machineMemoryMiB, path: ["hypervisors", index] },
      ...{ at: "uri", where: uri, server: serverOf(uri) },
    })),
    ...hyperVHosts.map(({ name, address, port, machineMemoryMiB }, index): Listed => ({
      ...{ name, machineMemoryMiB, path: ["hyperVHosts", index] },
      ...{ at: "address", where: address },
      server: port === 22 ? address : `${address}:${port}`,
    })),
  ];
}

function twice(
  all: readonly Listed[],
  place: number,
  key: "name" | Listed["at"],
  value: string,
  identity: (one: Listed) => string,
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
          why: `is that of ${pathText(earlier.path)}${key === "name" ? "" : ` (${earlier.name})`} too`,
          instead:
            key === "name" ? "Write another one." : "List each host once, for all its machines.",
        },
      ];
}

/** Where an address leads, whoever logs in: two accounts of one host are one hypervisor. */
function serverOf(uri: string): string {
  const { host } = new URL(uri);
  return host.toLowerCase().replace(/:22$/, "");
}

/** Nodes are placed on hypervisors that there are. */
export const placedSomewhere: Check<NamedSettings> = {
  reads: ["hypervisors", "hyperVHosts"],
  run({ hypervisors, hyperVHosts, nodes }) {
    const names = [thisHypervisor, ...[...hypervisors, ...hyperVHosts].map(({ name }) => name)];
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
export const spreadBySomething: Check<NamedSettings> = {
  reads: ["hypervisor", "hypervisors", "hyperVHosts"],
  run({ hypervisor, hypervisors, hyperVHosts, nodes }) {
    const listed = listedHypervisors({ hypervisors, hyperVHosts });
    const spread = nodes.find(
      (node) =>
        node.hypervisor === undefined && (node.os === "windows" ? listed : hypervisors).length > 0,
    );
    if (spread === undefined) {
      return [];
    }
    const path = (...rest: (string | number)[]) => [...rest, "machineMemoryMiB"];
    return [
      { path: path("hypervisor"), memory: hypervisor.machineMemoryMiB },
      ...listed.map((one) => ({ path: path(...one.path), memory: one.machineMemoryMiB })),
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
  reads: ["hypervisor", "hypervisors", "hyperVHosts", "windows.memoryMiB", "linux.memoryMiB"],
  run(settings) {
    const all = placements(settings);
    return [
      { name: thisHypervisor, path: ["hypervisor"], ...settings.hypervisor },
      ...listedHypervisors(settings),
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
