import { fabrics } from "../../components/network/fabric/fabrics.ts";
import { addressNumber, contains, parseRange } from "../ipv4.ts";
import { type Check, pathText, type SettingsProblem, unless } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";
import { fabricAddress } from "../../components/network/fabric/fabric-ends.ts";

/** Each further hypervisor needs the user's own bridge, or an address if kindows makes the fabric. */
export const connectedHosts: Check<NamedSettings> = {
  reads: ["network.fabric", "network.cidr", "hypervisor", "hypervisors"],
  run: ({ network, hypervisor, hypervisors }) => {
    if (fabrics[network.fabric].onHost === undefined) {
      return hypervisors.flatMap(({ bridge }, index) =>
        unless(bridge !== undefined, { path: ["hypervisors", index, "bridge"], ...noBridge }),
      );
    }
    if (hypervisors.length === 0) return [];
    const segments = [
      { path: ["network", "cidr"], cidr: network.cidr },
      ...hypervisors.map(({ cidr = "" }, index) => ({
        path: ["hypervisors", index, "cidr"],
        cidr,
      })),
    ];
    const hosts = [
      { path: ["hypervisor", "fabricAddress"], address: hypervisor.fabricAddress },
      ...hypervisors.map((one, index) => ({
        path: ["hypervisors", index, "fabricAddress"],
        address: fabricAddress(one),
      })),
    ];
    return hosts.flatMap(({ path, address: value }, index): SettingsProblem[] => {
      if (value === undefined) return [{ path, ...noAddress }];
      if (hosts.findIndex((one) => one.address === value) < index) {
        const why = "is also another host's address, so packets would reach only one of them";
        return [{ path, value, why, instead: "Write the address of this host." }];
      }
      const number = addressNumber(value);
      const segment = segments.find(({ cidr }) => {
        const range = parseRange(cidr);
        return range !== undefined && number !== undefined && contains(range, number);
      });
      return segment === undefined
        ? []
        : [{ path, value, why: `is in ${pathText(segment.path)} (${segment.cidr})`, instead }];
    });
  },
};

const noBridge = {
  why: "is missing, and with kindows:network.fabric bridge kindows does not make one",
  instead:
    "Write the name of the Linux bridge there that you have connected to this host's bridge (docs/fleet.md), or write vxlan for kindows:network.fabric.",
};

const instead = "Write the host's address in the network that already connects the hosts.";

const noAddress = {
  why: "is missing",
  instead: "Write the IPv4 address at which the lab's other hosts reach this host.",
};
