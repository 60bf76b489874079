import { type Check, pathText, repeated, type SettingsProblem, unless } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";
import { addressOf } from "../sections/nodes.ts";
import { macAddress } from "../../components/machine/mac-address.ts";
import { defaultKubernetes } from "../../host/versions.ts";
import { machineMakers, otherHosts } from "../../components/machine/machine-makers.ts";
import { leastLinuxDiskGiB } from "../sections/linux.ts";
import { controlPlaneNames, labNames, linuxWorkerName, loadBalancerName } from "../names.ts";
import { placements } from "../placement.ts";
import { addressFault, addressPlan, fitsPlan, freeAddresses, segmentOf } from "../address-plan.ts";
import { imageSource } from "../image-sources.ts";

const sizes = ["memoryMiB", "diskGiB"] as const;

export const machineSizes: Check<NamedSettings> = {
  reads: ["windows.image", "windows.image.kind"],
  run: (settings) =>
    sizes.flatMap((size) =>
      tooSmall(settings, "windows", size, imageSource(settings).least[size], "Windows Server"),
    ),
};

function tooSmall(
  settings: NamedSettings,
  os: Node["os"],
  size: (typeof sizes)[number],
  minimum: number,
  what: string,
): SettingsProblem[] {
  const given = [
    { path: [os, size], value: settings[os][size] },
    ...settings.nodes.map((node, index) => ({
      path: ["nodes", index, size],
      value: node.os === os ? node[size] : undefined,
    })),
  ];
  return given.flatMap(({ path, value = minimum }) =>
    unless(value >= minimum, {
      path,
      why: `is too little for ${what}`,
      instead: `Write ${minimum} or more.`,
    }),
  );
}

type Node = NamedSettings["nodes"][number];

/** Arguments that the program itself gives to a Linux node's kubelet (components/linux/steps.ts). */
const ownArguments = ["cgroup-root"];

/** Linux machines need libvirt, a disk that is large enough, and the kubelet arguments that the program sets. */
export const linuxMachines: readonly Check<NamedSettings>[] = [
  {
    reads: ["cluster.kubernetesVersion"],
    run: ({ nodes, cluster: { kubernetesVersion } }) =>
      unless(kubernetesVersion === defaultKubernetes || nodes.every(({ os }) => os !== "linux"), {
        path: ["cluster", "kubernetesVersion"],
        why: "is not the version of the programs for Linux machines, which are built here",
        instead: `Write "${defaultKubernetes}", or have Linux workers in containers (kindows:cluster.workers).`,
      }),
  },
  {
    reads: Object.keys(machineMakers),
    run: (settings) =>
      ofLinux(settings.nodes, ({ hypervisor }, index) =>
        otherHosts(settings)
          .filter(({ host, maker }) => host.name === hypervisor && !maker.systems.includes("linux"))
          .map(({ maker: { title } }) => ({
            path: ["nodes", index, "hypervisor"],
            why: `can't run a Linux machine: kindows makes only Windows machines on ${title}`,
            instead: "Write a hypervisor with libvirt, or leave it out.",
          })),
      ),
  },
  {
    reads: ["linux.diskGiB"],
    run: (settings) =>
      tooSmall(
        ...([settings, "linux", "diskGiB", leastLinuxDiskGiB] as const),
        "a Linux node's image, programs and containers",
      ),
  },
  {
    run: ({ nodes }) =>
      ofLinux(nodes, ({ kubeletArgs }, index) =>
        Object.entries(kubeletArgs).flatMap(([name, value]): SettingsProblem[] => {
          const path = ["nodes", index, "kubeletArgs", name];
          if (ownArguments.includes(name)) {
            const why = "is given to every Linux node's kubelet by this program";
            return [{ path, why, instead: "Leave it out." }];
          }
          return unless(!/[\\'`$;]/.test(value), {
            path,
            why: "can't be used in the command line of a Linux service",
            instead: "Write it without quotes, backslashes, $ and semicolons.",
          });
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

export const windowsNames: Check<NamedSettings> = {
  run: ({ nodes }) =>
    repeated(nodes, ({ name }) => name).map(({ index, first }) => ({
      path: ["nodes", index, "name"],
      why: `is taken by ${pathText(["nodes", first, "name"])}`,
      instead: "Write another name.",
    })),
};

/** Two machines with one MAC address on a segment lose each other's packets, and get the same address by DHCP. */
export const macAddresses: Check<NamedSettings> = {
  reads: ["lab.name"],
  run: ({ lab, nodes }) =>
    repeated(nodes, ({ name }) => macAddress(labNames(lab.name).prefix, name))
      .filter(({ entry, first }) => entry.name !== nodes[first]?.name)
      .map(({ index, first }) => ({
        path: ["nodes", index, "name"],
        why: `gives the machine the MAC address of ${pathText(["nodes", first])} (${nodes[first]?.name ?? ""}), because both are derived from names`,
        instead: "Write another name.",
      })),
};

/** No two of kind's containers share a name, and no machine has the name of one of them. */
export const linuxNames: Check<NamedSettings> = {
  reads: ["lab.name"],
  run({ lab, cluster, nodes }) {
    const { kindCluster } = labNames(lab.name);
    const taken = new Map<string, string>([
      ...controlPlaneNames(kindCluster, cluster.controlPlanes).map(
        (name) => [name, "kind's control plane"] as const,
      ),
      [loadBalancerName(kindCluster), "kind's load balancer"],
    ]);
    return [
      ...cluster.workers.flatMap(({ name }, index) => {
        const path = ["cluster", "workers", index, "name"];
        return claim(linuxWorkerName(kindCluster, name), name, path, taken);
      }),
      ...nodes.flatMap(({ name }, index) =>
        claim(name, name, ["nodes", index, "name"], new Map(taken)),
      ),
    ];
  },
};

/**
 * Reserves the node's full name, or reports that it is taken.
 *
 * @param taken names that are reserved already, with their owners.
 */
function claim(
  full: string,
  value: string,
  path: SettingsProblem["path"],
  taken: Map<string, string>,
): SettingsProblem[] {
  const owner = taken.get(full);
  if (owner === undefined) {
    taken.set(full, pathText(path));
    return [];
  }
  const is = full === value ? "is" : `makes the node's name ${full}, which is`;
  return [{ path, why: `${is} taken by ${owner}`, instead: "Write another name." }];
}

export const nodeAddresses: Check<NamedSettings> = {
  reads: ["network.cidr"],
  run(settings) {
    // Another check reports a segment that is too small for the plan.
    const placed = placements(settings).map(({ hypervisor }) => ({
      hypervisor,
      segment: segmentOf(settings, hypervisor),
    }));
    return placed.every(({ segment }) => fitsPlan(segment))
      ? [...misplaced(settings, placed), ...twice(settings), ...tooMany(settings, placed)]
      : [];
  },
};

type Placed = readonly { readonly hypervisor: string; readonly segment: string }[];

function misplaced({ network, nodes }: NamedSettings, placed: Placed): SettingsProblem[] {
  return nodes.flatMap(({ address }, index) => {
    const { segment = network.cidr, hypervisor } = placed[index] ?? {};
    const owner = segment === network.cidr ? undefined : hypervisor;
    const why = address === undefined ? undefined : addressFault(segment, address, owner);
    const { first, last } = addressPlan(segment).machines;
    const instead = `Write one from ${first} to ${last}, or leave it out and kindows assigns one.`;
    return why === undefined ? [] : [{ path: ["nodes", index, "address"], why, instead }];
  });
}

function twice({ nodes }: NamedSettings): SettingsProblem[] {
  return repeated(nodes, addressOf)
    .filter(({ entry, first }) => entry.ssh === undefined || nodes[first]?.ssh === undefined)
    .map(({ entry, index, first }) => ({
      path: ["nodes", index, ...(entry.ssh === undefined ? [] : ["ssh"]), "address"],
      why: `is also the address of ${pathText(["nodes", first])} (${nodes[first]?.name ?? ""})`,
      instead: "Write another one, or leave it out and kindows assigns one.",
    }));
}

function tooMany({ nodes }: NamedSettings, placed: Placed): SettingsProblem[] {
  const written = nodes.map(addressOf);
  return [...new Set(placed.map(({ segment }) => segment))].flatMap((segment) => {
    const there = nodes.filter((_, index) => placed[index]?.segment === segment);
    const wanting = there.filter((node) => addressOf(node) === undefined).length;
    const free = freeAddresses(segment, written).length;
    return unless(wanting <= free, {
      path: ["nodes"],
      value: `${there.length} nodes`,
      why: `need more addresses than the ${free} that are left in ${segment}`,
      instead: `Have at most ${there.length - wanting + free} nodes there.`,
    });
  });
}
