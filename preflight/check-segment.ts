import { proposedRange, segmentRange } from "../config/checks/lab-ranges.ts";
import { overlaps, parseRange, type Ipv4Range } from "../config/ipv4.ts";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";
import { owned } from "./owned.ts";

interface Occupied {
  readonly range: Ipv4Range;
  readonly owner: string;
}

/** The lab's segment is free: no network, address or route of this host reaches into it, but the lab's own. */
export function checkSegment(settings: Settings, facts: HostFacts): HostProblem[] {
  const { cidr } = settings.network;
  const segment = parseRange(cidr);
  const occupied = occupiedBy(settings, facts);
  const found =
    segment === undefined ? [] : occupied.filter(({ range }) => overlaps(range, segment));
  if (found.length === 0) {
    return [];
  }
  const owners = [...new Set(found.map(({ owner }) => owner))];
  const free = proposedRange(
    segmentRange,
    settings,
    occupied.map(({ range }) => range),
  );
  return [
    {
      subject: `kindows:network.cidr: "${cidr}"`,
      why: `overlaps ${owners.join(" and ")}`,
      instead: `Write a range that is free here, e.g. ${free}.`,
    },
  ];
}

/** Everything on this host that has IPv4 ranges and is not the lab's; a bridge is told by its network, not twice. */
function occupiedBy(settings: Settings, facts: HostFacts): Occupied[] {
  const { network, bridges } = owned(settings, facts);
  const libvirt = (facts.libvirt.reachable ? facts.libvirt.networks : []).filter(
    ({ name }) => name !== network,
  );
  const docker = (facts.docker.reachable ? facts.docker.networks : []).filter(
    ({ name }) => name !== network,
  );
  const told = new Set([...bridges, ...[...libvirt, ...docker].map(({ bridge }) => bridge)]);
  return [
    ...libvirt.flatMap(({ name, cidrs }) =>
      cidrs.map((cidr) => ({ cidr, owner: `libvirt's network ${name} (${cidr})` })),
    ),
    ...docker.flatMap(({ name, cidrs }) =>
      cidrs.map((cidr) => ({ cidr, owner: `Docker's network ${name} (${cidr})` })),
    ),
    ...facts.network.ranges
      .filter((one) => !told.has(one.interface))
      .map((one) => ({
        cidr: one.cidr,
        owner: `${one.cidr} at this host's interface ${one.interface}`,
      })),
  ].flatMap(({ cidr, owner }) => {
    const range = parseRange(cidr);
    return range === undefined ? [] : [{ range, owner }];
  });
}
