import { fitsPlan, maxSegmentPrefixLength } from "../../../config/address-plan.ts";
import {
  labRanges,
  type RangesOfLab,
  proposedRange,
  rangeFault,
  segmentRange,
} from "../../../config/checks/ranges.ts";
import { type Ipv4Range, overlaps, parseRange } from "../../../config/ipv4.ts";
import { type Check, pathText } from "../../../config/problem.ts";
import type { CheckedFabric, Fabric, FabricEnd } from "./fabric.ts";

/** With a routed fabric, each hypervisor must have its own range. With other fabrics, none may have one. */
const subnets: Check<CheckedFabric> = {
  reads: ["network.fabric", ...labRanges.map(({ path }) => path.join(".")), "hypervisors"],
  run: (settings) =>
    settings.hypervisors.flatMap(({ cidr }, index) => {
      const path = ["hypervisors", index, "cidr"];
      const { fabric } = settings.network;
      if (fabric !== "routed") {
        const why = `has no effect: kindows:network.fabric is ${fabric}`;
        const instead = "Leave it out, or write routed for kindows:network.fabric.";
        return cidr === undefined ? [] : [{ path, value: cidr, why, instead }];
      }
      const why =
        cidr === undefined
          ? "is missing, and with kindows:network.fabric routed each hypervisor has its own range"
          : subnetFault(cidr, index, settings);
      const segments = asRange(settings.network.cidr);
      const free = proposedRange(segmentRange, settings, (candidate) =>
        segments.some((one) => overlaps(one, candidate)),
      );
      const example = free === undefined ? "" : `, e.g. ${free}`;
      const instead = `Write a range of at least /${maxSegmentPrefixLength} that is free on all hosts${example}.`;
      return why === undefined ? [] : [{ path, value: cidr, why, instead }];
    }),
};

function subnetFault(cidr: string, index: number, settings: RangesOfLab): string | undefined {
  const [range] = asRange(cidr);
  if (range === undefined) return undefined;
  if (!fitsPlan(cidr)) return "is too small";
  const others = [
    ...labRanges.map((one) => ({ path: one.path, cidr: one.read(settings) })),
    ...settings.hypervisors
      .slice(0, index)
      .map((one, at) => ({ path: ["hypervisors", at, "cidr"], cidr: one.cidr ?? "" })),
  ];
  const other = others.find((one) => asRange(one.cidr).some((taken) => overlaps(taken, range)));
  return other === undefined
    ? rangeFault(range, settings)
    : `overlaps ${pathText(other.path)}, ${other.cidr}`;
}

function asRange(cidr: string): Ipv4Range[] {
  const range = parseRange(cidr);
  return range === undefined ? [] : [range];
}

/** Refuses pod networks that route packets directly between nodes, which needs all nodes on one segment. */
const podNetwork: Check<CheckedFabric> = {
  reads: ["network.fabric", "hypervisors", "cni.kind", "cni.flannel.backend"],
  run: (settings) => {
    const { network, hypervisors, cni } = settings;
    if (network.fabric !== "routed" || hypervisors.length === 0) return [];
    const why =
      "leads packets to neighbours only, and with kindows:network.fabric routed not all nodes are";
    if (cni.kind === "flannel" && cni.flannel.backend === "host-gw") {
      const instead = "Write vxlan.";
      return [{ path: ["cni", "flannel", "backend"], value: cni.flannel.backend, why, instead }];
    }
    if (cni.kind !== "kind-default") return [];
    const instead = "Write calico, or flannel, or another fabric.";
    return [{ path: ["cni", "kind"], value: cni.kind, why, instead }];
  },
};

/**
 * A segment for each hypervisor, made by libvirt there, and routes between the hosts. Packets between machines keep
 * their addresses. If there is a router between two hosts, the router needs the route, and the hosts get none.
 *
 * libvirt's networks have the mode `route`, so masquerading to the outside and the exceptions from Docker's rules are
 * made here.
 */
export const routed = {
  choice: "made by kindows: a range for each hypervisor, and routes between the hosts",
  checks: [subnets, podNetwork],
  isRouted: true,
  onHost: {
    functions: () => `route() {
  case "$(ip -o route get "$2")" in *" via "*) ;; *) ip route add "$1" via "$2" table "$3" ;; esac
}
no_rules() {
  for table in raw nat filter; do
    iptables -w -t $table -S | sed -n "s/^-A \\(.* --comment $1 .*\\)/\\1/p" | while read -r rule; do
      iptables -w -t $table -D $rule
    done
  done
}`,
    up: (end: FabricEnd) => {
      const { mark, host, peers } = end;
      const table = tableOf(end);
      const rule = (name: string, text: string): string =>
        `iptables -w -t ${name} -I ${text} -m comment --comment ${mark}`;
      const [cidrs, all] = [
        peers.map(({ cidr }) => cidr).join(","),
        peers.flatMap(({ cidr, address }) => [cidr, address]).join(","),
      ];
      const between = [
        rule("raw", `PREROUTING -s ${all} -d ${host.cidr} -j ACCEPT`),
        rule("filter", `"$forward" -s ${all} -d ${host.cidr} -j ACCEPT`),
        rule("filter", `"$forward" -s ${host.cidr} -d ${cidrs} -j ACCEPT`),
        rule("nat", `POSTROUTING -s ${host.cidr} -d ${cidrs} -j ACCEPT`),
      ];
      return `${down(end)}
ip rule add lookup ${table} pref 32000
${peers.map(({ cidr, address }) => `route ${cidr} ${address} ${table}`).join("\n")}
forward=FORWARD
if iptables -w -n -L DOCKER-USER >/dev/null 2>&1; then forward=DOCKER-USER; fi
${[
  rule("nat", `POSTROUTING -s ${host.cidr} ! -o ${host.bridge} -j MASQUERADE`),
  ...(peers.length === 0 ? [] : between),
].join("\n")}`;
    },
    down,
    probe: ({ host, peers }: FabricEnd) =>
      `for program in ip iptables; do command -v $program >/dev/null || echo programs $program; done
for range in ${[host, ...peers].map(({ cidr }) => cidr).join(" ")}; do
  { ip -o route show root $range; ip -o route show match $range; } |
    grep -v -e ^default -e " dev ${host.bridge} " | sed "s,^,taken $range: ,"
done`,
    remedies: {
      programs: { why: "lacks a program", instead: "Install the packages iproute2 and iptables." },
      taken: {
        why: "already has a route into a range of the lab",
        instead:
          "Write another kindows:network.cidr or hypervisors[].cidr, or remove that route there.",
      },
    },
    after: ["docker.service"],
  },
} satisfies Fabric;

/** Number of the lab's own routing table, above the numbers that distributions use. */
function tableOf({ number }: FabricEnd): number {
  return 2 ** 24 + number;
}

function down(end: FabricEnd): string {
  return `ip rule delete lookup ${tableOf(end)} 2>/dev/null || :
ip route flush table ${tableOf(end)} 2>/dev/null || :
no_rules ${end.mark}`;
}
