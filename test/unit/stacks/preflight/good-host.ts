import type { HostFacts } from "../../../../stacks/host-facts.ts";

/** libvirt as it comes. */
export const libvirt = {
  reachable: true as const,
  version: "9.0.0",
  domains: [],
  pools: [],
  networks: [{ name: "default", bridge: "virbr0", cidrs: ["192.168.122.0/24"] }],
};
/** A host that can have any lab. */
export const goodHost: HostFacts = {
  docker: {
    reachable: true,
    version: "20.10.24+dfsg1",
    rootless: false,
    rootFolder: "/var/lib/docker",
    endpoint: { host: "unix:///var/run/docker.sock", by: "default" },
    containers: [],
    networks: [
      { name: "host", cidrs: [] },
      { name: "bridge", cidrs: ["172.17.0.0/16"], bridge: "docker0" },
    ],
  },
  libvirt,
  packageManager: "apt-get",
  kvm: "works",
  confinement: { by: undefined, denials: [] },
  network: {
    interfaces: ["lo", "eth0", "docker0"],
    ranges: [
      { cidr: "192.0.2.0/24", interface: "eth0", by: "address" },
      { cidr: "172.17.0.0/16", interface: "docker0", by: "address" },
    ],
  },
  services: { listeners: [], firewalld: "off", uplink: undefined },
  registryPort: undefined,
  memory: { availableMiB: 32_000, totalMiB: 64_000 },
  inotify: { limit: 128, used: 0 },
  disks: {
    pool: { folder: "/var/lib/libvirt/images/kindows-x", freeGiB: 200, device: 1 },
    docker: { folder: "/var/lib/docker", freeGiB: 100, device: 2 },
  },
  imageArchives: { gib: 0, problems: [] },
  missingTools: [],
  image: { virtualGiB: 8 },
  programs: { unpinned: [], missing: [] },
  linuxArtifacts: { image: { virtualGiB: 4 }, programs: "there" },
  otherHosts: [],
  segmentMtu: undefined,
};
