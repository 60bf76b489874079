import { docker, goodHost, libvirt } from "./good-host.ts";
import { rehearsal } from "./host-case.ts";
import type { HostCase } from "./host-case.ts";

/** What of a host may be in the way: somebody else's networks and names; never the lab's own. */
export const conflictCases: readonly HostCase[] = [
  {
    name: "the bridge taken by an interface",
    settings: rehearsal,
    host: { network: { ...goodHost.network, interfaces: ["lo", "eth0", "kw-x"] } },
    problems: [
      'kindows:network.bridge: "kw-x" is taken by a network interface of this host. Write another name, or remove that (`./kindows doctor` tells whether it is left over from a lab).',
    ],
  },
  {
    name: "the bridge taken by a libvirt network that is not running",
    settings: rehearsal,
    host: {
      libvirt: {
        reachable: true,
        ...libvirt,
        networks: [{ name: "theirs", bridge: "kw-x", cidrs: [] }],
      },
    },
    problems: [
      'kindows:network.bridge: "kw-x" is taken by libvirt\'s network theirs. Write another name, or remove that (`./kindows doctor` tells whether it is left over from a lab).',
    ],
  },
  {
    name: "the bridge taken by a Docker network",
    settings: rehearsal,
    host: {
      docker: {
        reachable: true,
        ...docker,
        networks: [{ name: "theirs", bridge: "kw-x", cidrs: ["10.9.0.0/24"] }],
      },
    },
    problems: [
      'kindows:network.bridge: "kw-x" is taken by Docker\'s network theirs. Write another name, or remove that (`./kindows doctor` tells whether it is left over from a lab).',
    ],
  },
  {
    name: "the segment overlaps the host's own network",
    settings: rehearsal,
    host: {
      network: {
        interfaces: ["lo", "eth0"],
        ranges: [
          { cidr: "192.168.150.0/23", interface: "eth0" },
          { cidr: "192.168.150.0/23", interface: "eth0" },
        ],
      },
    },
    problems: [
      'kindows:network.cidr: "192.168.150.0/24" overlaps 192.168.150.0/23 at this host\'s interface eth0. Write a range that is free here, e.g. 192.168.160.0/24.',
    ],
  },
  {
    name: "the segment overlaps a route, and what would be proposed is taken too",
    settings: rehearsal,
    host: {
      network: {
        interfaces: ["lo", "eth0", "tun0"],
        ranges: [
          { cidr: "192.168.144.0/20", interface: "tun0" },
          { cidr: "192.168.160.0/24", interface: "eth0" },
        ],
      },
    },
    problems: [
      'kindows:network.cidr: "192.168.150.0/24" overlaps 192.168.144.0/20 at this host\'s interface tun0. Write a range that is free here, e.g. 192.168.170.0/24.',
    ],
  },
  {
    name: "the segment overlaps networks of Docker and of libvirt, whose bridges are not told again",
    settings: rehearsal,
    host: {
      docker: {
        reachable: true,
        ...docker,
        networks: [{ name: "shop_default", bridge: "br-1", cidrs: ["192.168.150.0/26"] }],
      },
      libvirt: {
        reachable: true,
        ...libvirt,
        networks: [{ name: "ci", bridge: "virbr1", cidrs: ["192.168.150.64/26"] }],
      },
      network: {
        interfaces: ["lo", "br-1", "virbr1"],
        ranges: [
          { cidr: "192.168.150.0/26", interface: "br-1" },
          { cidr: "192.168.150.64/26", interface: "virbr1" },
        ],
      },
    },
    problems: [
      "kindows:network.cidr: \"192.168.150.0/24\" overlaps libvirt's network ci (192.168.150.64/26) and Docker's network shop_default (192.168.150.0/26). Write a range that is free here, e.g. 192.168.160.0/24.",
    ],
  },
  {
    name: "a foreign machine of a node's name",
    settings: rehearsal,
    host: {
      libvirt: {
        reachable: true,
        ...libvirt,
        domains: [{ name: "kindows-x-win-1", running: false, networks: ["default"] }],
      },
    },
    problems: [
      "libvirt's machine kindows-x-win-1 has the name of a node's, but is not on the lab's network. Rename or remove it, or write another kindows:lab.name.",
    ],
  },
  {
    name: "a foreign pool in the lab's folder, and one of the lab's name elsewhere",
    settings: rehearsal,
    host: {
      libvirt: {
        reachable: true,
        ...libvirt,
        pools: [
          { name: "old", path: "/var/lib/libvirt/images/kindows-x" },
          { name: "kindows-x", path: "/srv/images" },
          { name: "default", path: "/var/lib/libvirt/images" },
        ],
      },
    },
    problems: [
      "libvirt's pool old is in the lab's folder /var/lib/libvirt/images/kindows-x. Rename or remove it, or write another kindows:lab.name.",
      "libvirt's pool kindows-x has the lab's name, but is in /srv/images. Rename or remove it, or write another kindows:lab.name.",
    ],
  },
  {
    name: "a foreign container of the control plane's name",
    settings: rehearsal,
    host: {
      docker: {
        reachable: true,
        ...docker,
        containers: [
          { name: "kindows-x-control-plane", running: true },
          { name: "other-control-plane", kindCluster: "other", running: true },
        ],
      },
    },
    problems: [
      "Docker's container kindows-x-control-plane has the name of a node's, but is not of the lab's kind cluster. Rename or remove it, or write another kindows:lab.name.",
    ],
  },
  {
    name: "the lab's own, running, on a host that has no room for another one",
    settings: rehearsal,
    host: {
      docker: {
        reachable: true,
        ...docker,
        networks: [{ name: "kindows-x", bridge: "kw-x", cidrs: ["192.168.150.0/24"] }],
        containers: [{ name: "kindows-x-control-plane", kindCluster: "kindows-x", running: true }],
      },
      libvirt: {
        reachable: true,
        ...libvirt,
        networks: [{ name: "kindows-x", bridge: "kw-x", cidrs: ["192.168.150.0/24"] }],
        domains: [{ name: "kindows-x-win-1", running: true, networks: ["kindows-x"] }],
        pools: [{ name: "kindows-x", path: "/var/lib/libvirt/images/kindows-x" }],
      },
      network: {
        interfaces: ["lo", "kw-x"],
        ranges: [{ cidr: "192.168.150.0/24", interface: "kw-x" }],
      },
      memory: { availableMiB: 100, totalMiB: 4000 },
      disks: {
        pool: { folder: "/a", freeGiB: 0.1, device: 7 },
        docker: { folder: "/b", freeGiB: 0.1, device: 7 },
      },
    },
    problems: [],
  },
];
