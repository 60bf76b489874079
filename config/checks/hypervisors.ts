import { machineMakers, otherHosts } from "../../components/machine/machine-makers.ts";
import { thisHypervisor } from "../sections/machine-host.ts";
import { placements } from "../placement.ts";
import { type Check, pathText, type SettingsProblem, unless } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";
import { machineOverheadMiB } from "../sections/machine-host.ts";

const sections = Object.keys(machineMakers);

export const hypervisorsApart: Check<NamedSettings> = {
  reads: sections,
  run(settings) {
    const listed = otherHosts(settings);
    return listed.flatMap((one, index): SettingsProblem[] => {
      const { path, host, maker } = one;
      const { setting, server } = maker.addressOf(host);
      const before = listed.slice(0, index);
      const namesake = before.find((other) => other.host.name === host.name);
      const same = before.find((other) => other.maker.addressOf(other.host).server === server);
      return [
        ...unless(host.name !== thisHypervisor, {
          path: [...path, "name"],
          why: "is the name of the hypervisor on this host",
          instead: "Write another name.",
        }),
        ...unless(namesake === undefined, {
          path: [...path, "name"],
          why: `is also the name of ${pathText(namesake?.path ?? [])}`,
          instead: "Write another name.",
        }),
        ...unless(same === undefined, {
          path: [...path, setting],
          why: `leads to the same host as ${pathText(same?.path ?? [])} (${same?.host.name})`,
          instead: "List each host once, for all its machines.",
        }),
      ];
    });
  },
};

export const placedSomewhere: Check<NamedSettings> = {
  reads: sections,
  run({ nodes, ...settings }) {
    const names = [thisHypervisor, ...otherHosts(settings).map(({ host }) => host.name)];
    // A placeholder replaces an invalid name (config/checked-settings.ts), and that name may be the one the node means.
    if (names.some((name) => name.startsWith("unnamed-"))) return [];
    return nodes.flatMap(({ hypervisor }, index) =>
      unless(hypervisor === undefined || names.includes(hypervisor), {
        path: ["nodes", index, "hypervisor"],
        why: "is not a hypervisor of this lab",
        instead: `Write ${names.join(" or ")}.`,
      }),
    );
  },
};

/** Nodes without a hypervisor are placed by `machineMemoryMiB`, which is then required for every hypervisor. */
export const spreadBySomething: Check<NamedSettings> = {
  reads: ["hypervisor", ...sections],
  run({ hypervisor, nodes, ...settings }) {
    const listed = otherHosts(settings);
    const spread = nodes.find(
      (node) =>
        node.hypervisor === undefined &&
        node.ssh === undefined &&
        listed.some(({ maker }) => maker.systems.includes(node.os)),
    );
    if (spread === undefined) return [];
    return [{ path: ["hypervisor"], host: hypervisor }, ...listed].flatMap(({ path, host }) =>
      unless(host.machineMemoryMiB !== undefined, {
        path: [...path, "machineMemoryMiB"],
        why: `is missing, but needed to place ${spread.name}, which names no hypervisor`,
        instead:
          "Write how much memory the lab's machines may use there, or set nodes[].hypervisor for every node.",
      }),
    );
  },
};

export const placedWithin: Check<NamedSettings> = {
  reads: ["hypervisor", ...sections, "windows.memoryMiB", "linux.memoryMiB"],
  run(settings) {
    const all = placements(settings);
    return [
      { name: thisHypervisor, path: ["hypervisor"], ...settings.hypervisor },
      ...otherHosts(settings).map(({ host, path }) => ({ ...host, path })),
    ].flatMap(({ name, path, machineMemoryMiB }) => {
      const there = all.filter(({ hypervisor }) => hypervisor === name);
      const needed = there.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
      return unless(needed <= (machineMemoryMiB ?? Infinity), {
        path: [...path, "machineMemoryMiB"],
        why: `is too little for the machines placed there: ${there.map((one) => `${one.node} ${one.memoryMiB}`).join(", ")} (each includes ${machineOverheadMiB} for the hypervisor itself), ${needed} in total`,
        instead:
          "Write more, if the host has it, place nodes elsewhere, or write less for kindows:windows.memoryMiB.",
      });
    });
  },
};
