import {
  credentialChecks,
  type Logins,
  wayChecks,
} from "../../components/machine/existing/login.ts";
import { ownMachineChecks, type OwnMachine } from "../../components/machine/existing/settings.ts";
import { fitsPlan, segmentPlan } from "../address-plan.ts";
import { addressNumber, contains, parseRange } from "../ipv4.ts";
import { someAddress } from "../values/ip-address.ts";
import { type Check, type SettingsProblem, unless } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** The nodes of a lab whose machines are there. */
function ownMachines({ nodes }: NamedSettings): readonly OwnMachine[] {
  return nodes.flatMap(({ name, os, nodeIp, ssh }, index) => {
    const node = ["nodes", index];
    const at = { node, server: [...node, "ssh"] };
    return ssh === undefined ? [] : [{ name, os, nodeIp, at, ...ssh }];
  });
}

function loginsOf({ login, nodes }: NamedSettings): Logins {
  const machines = nodes.flatMap(({ name, ssh }, index) =>
    ssh === undefined ? [] : [{ name, ...ssh, own: ssh, path: ["nodes", index, "ssh"] }],
  );
  return { login, machines, made: [] };
}

const ofMadeOnes = ["address", "cpus", "memoryMiB", "diskGiB", "hypervisor"] as const;

function nothingToMake({ nodes }: NamedSettings): SettingsProblem[] {
  return nodes.flatMap((node, index) =>
    node.ssh === undefined
      ? []
      : ofMadeOnes.flatMap((key) =>
          unless(node[key] === undefined, {
            path: ["nodes", index, key],
            why: "has no effect: the machine is there already, as its ssh says",
            instead:
              key === "address"
                ? "Leave it out: kindows:nodes[].ssh.address says where it is."
                : "Leave it out.",
          }),
        ),
  );
}

/** Why a machine with this address is not on the lab's segment, beside the lab's containers. */
function whyNotThere({ network }: NamedSettings, address: string): string | undefined {
  const { cidr, gateway, containerRange = "" } = segmentPlan(network);
  const [segment, containers] = [parseRange(cidr), parseRange(containerRange)];
  const number = addressNumber(address);
  if (segment === undefined || number === undefined || !contains(segment, number)) {
    return `is not on the lab's segment, ${cidr}, so the cluster and the machine could not reach each other`;
  }
  if (number === segment.first) return `is the address of the network ${cidr} itself`;
  if (number === segment.last) return `is the broadcast address of ${cidr}`;
  if (address === gateway) return "is the gateway's address, which the bridge has";
  return containers !== undefined && contains(containers, number)
    ? `is in ${containerRange}, from which Docker gives kind's containers their addresses`
    : undefined;
}

const onSegment: Check<NamedSettings> = {
  reads: ["network.cidr"],
  run(settings) {
    const { cidr, found, libvirtNetwork } = settings.network;
    // Another check reports a segment that is too small.
    if (found === undefined && !fitsPlan(cidr)) return [];
    return ownMachines(settings).flatMap(({ address, nodeIp, at }) => {
      // A placeholder stands for an address that is reported already (config/checked-settings.ts).
      const isKnown = address !== someAddress(Number(at.node[1]));
      const why = isKnown ? whyNotThere(settings, nodeIp ?? address) : undefined;
      return unless(why === undefined, {
        path: nodeIp === undefined ? [...at.server, "address"] : [...at.node, "nodeIp"],
        why: why ?? "",
        instead:
          libvirtNetwork === undefined
            ? "Put the machine onto the lab's network, or write the libvirt network that it is on for kindows:network.libvirtNetwork."
            : "Write the machine's address on that network, or the network that it is on.",
      });
    });
  },
};

/** `kindows` commands run the engine without an agent, because one that does not answer stops every connection. */
function withoutAgent({ login, nodes }: NamedSettings): SettingsProblem[] {
  const all = [
    { path: ["login", "agent"], agent: login.agent },
    ...nodes.map(({ ssh }, index) => ({
      path: ["nodes", index, "ssh", "agent"],
      agent: ssh?.agent,
    })),
  ];
  return all.flatMap(({ path, agent }) =>
    unless(agent !== true, {
      path,
      why: "can't be used in a lab, which logs in to its machines with keys",
      instead: "Write privateKeyFile or privateKey instead.",
    }),
  );
}

export const ownMachinesChecks: readonly Check<NamedSettings>[] = [
  ...credentialChecks(loginsOf),
  // Names and nodes' addresses are compared with those of all nodes.
  ...ownMachineChecks(ownMachines, ["address", "hostKey"]),
  { run: nothingToMake },
  { run: withoutAgent },
  onSegment,
  ...wayChecks(loginsOf),
];
