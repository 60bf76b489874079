import { goodHost, libvirt } from "./good-host.ts";
import { rehearsal, windows } from "./host-case.ts";
import type { HostCase } from "./host-case.ts";

/** Memory and disks. */
export const roomCases: readonly HostCase[] = [
  {
    name: "too little memory",
    settings: windows,
    host: { memory: { availableMiB: 17_919, totalMiB: 20_000 } },
    problems: [
      "Memory of 17920 MiB is needed (machine win-1 8448, machine win-2 8448, container kindows-x-control-plane 1024), 17919 of 20000 MiB are available. Have fewer nodes, write less for kindows:windows.memoryMiB, or stop something else.",
    ],
  },
  {
    name: "just enough memory",
    settings: windows,
    host: { memory: { availableMiB: 17_920, totalMiB: 20_000 } },
    problems: [],
  },
  {
    name: "a disk smaller than its image",
    settings: rehearsal,
    host: { image: { virtualGiB: 15.5 } },
    problems: [
      "The disk of win-1, 8 GiB, is smaller than its image, 16 GiB. Write 16 or more for kindows:windows.diskGiB, or the node's own diskGiB.",
    ],
  },
  {
    name: "too few inotify instances",
    settings: rehearsal,
    host: { inotify: { limit: 128, used: 101 } },
    problems: [
      "fs.inotify.max_user_instances is 128, of which 101 are in use; the Linux nodes need 28 more. Run `sysctl -w fs.inotify.max_user_instances=512`, and write it to /etc/sysctl.d/ for the next boot.",
    ],
  },
  {
    name: "just enough inotify instances",
    settings: rehearsal,
    host: { inotify: { limit: 128, used: 100 } },
    problems: [],
  },
  {
    name: "too little disk for machines",
    settings: windows,
    host: { disks: { ...goodHost.disks, pool: { ...goodHost.disks.pool, freeGiB: 41.96 } } },
    problems: [
      "The disk of /var/lib/libvirt/images/kindows-x has 42.0 GiB free, 42 GiB are needed. Make room there, or have fewer nodes.",
    ],
  },
  {
    name: "too little disk for Docker",
    settings: rehearsal,
    host: {
      disks: { ...goodHost.disks, docker: { folder: "/var/lib/docker", freeGiB: 1.5, device: 2 } },
    },
    problems: [
      "The disk of /var/lib/docker has 1.5 GiB free, 3 GiB are needed. Make room there, or have fewer nodes.",
    ],
  },
  {
    name: "too little disk for both on one",
    settings: rehearsal,
    host: {
      disks: {
        pool: { folder: "/a", freeGiB: 4, device: 7 },
        docker: { folder: "/b", freeGiB: 4, device: 7 },
      },
    },
    problems: [
      "The disk of /a and /b has 4.0 GiB free, 5 GiB are needed. Make room there, or have fewer nodes.",
    ],
  },
  {
    name: "the lab's own machine, stopped: memory is needed, disk is not",
    settings: rehearsal,
    host: {
      libvirt: {
        reachable: true,
        ...libvirt,
        networks: [{ name: "kindows-x", bridge: "kw-x", cidrs: ["192.168.150.0/24"] }],
        domains: [{ name: "kindows-x-win-1", running: false, networks: ["kindows-x"] }],
        pools: [{ name: "kindows-x", path: "/var/lib/libvirt/images/kindows-x" }],
      },
      memory: { availableMiB: 4000, totalMiB: 8000 },
      disks: { ...goodHost.disks, pool: { folder: "/a", freeGiB: 0, device: 1 } },
    },
    problems: [
      "Memory of 4352 MiB is needed (machine win-1 3328, container kindows-x-control-plane 1024), 4000 of 8000 MiB are available. Have fewer nodes, write less for kindows:windows.memoryMiB, or stop something else.",
    ],
  },
];
