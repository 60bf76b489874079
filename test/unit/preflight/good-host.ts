import type { HostFacts } from "../../../preflight/host-facts.ts";
import type { DockerFacts } from "../../../preflight/probe-docker.ts";
import type { LibvirtFacts } from "../../../preflight/probe-libvirt.ts";

/** Docker as it comes, with nothing of a lab. */
export const docker: DockerFacts = {
  version: "20.10.24+dfsg1",
  rootless: false,
  rootFolder: "/var/lib/docker",
  networks: [
    { name: "host", cidrs: [] },
    { name: "bridge", cidrs: ["172.17.0.0/16"], bridge: "docker0" },
  ],
  containers: [],
};

/** libvirt as it comes. */
export const libvirt: LibvirtFacts = {
  version: "9.0.0",
  networks: [{ name: "default", bridge: "virbr0", cidrs: ["192.168.122.0/24"] }],
  domains: [],
  pools: [],
};

/** A host that can have any lab. */
export const goodHost: HostFacts = {
  docker: { reachable: true, ...docker },
  libvirt: { reachable: true, ...libvirt },
  kvm: "works",
  network: {
    interfaces: ["lo", "eth0", "docker0"],
    ranges: [
      { cidr: "192.0.2.0/24", interface: "eth0" },
      { cidr: "172.17.0.0/16", interface: "docker0" },
    ],
  },
  memory: { availableMiB: 32_000, totalMiB: 64_000 },
  inotify: { limit: 128, used: 0 },
  disks: {
    pool: { folder: "/var/lib/libvirt/images/kindows-x", freeGiB: 200, device: 1 },
    docker: { folder: "/var/lib/docker", freeGiB: 100, device: 2 },
  },
  tools: { missing: [] },
  image: { virtualGiB: 8 },
  programs: { unpinned: [], missing: [] },
  linuxMedia: { image: { virtualGiB: 4 }, programs: "there" },
  hypervisors: [],
  hyperVHosts: [],
};
