import assert from "node:assert/strict";
import { parse } from "yaml";
import type { HostFacts } from "../../../../config/preflight/host-facts.ts";
import { hostProblemsText, hostProblemText } from "../../../../config/preflight/host-problem.ts";
import { judge } from "../../../../config/preflight/judge.ts";
import { resolveSettings } from "../../../../config/resolve.ts";
import type { Settings } from "../../../../config/settings.ts";
import { docker, goodHost, libvirt } from "./good-host.ts";

const rehearsal =
  "{ windows: { image: { kind: rehearsal }, memoryMiB: 3072, diskGiB: 8 }, cni: { kind: kind-default }, hypervisor: { domainType: qemu }, nodes: [{ name: win-1 }] }";
const windows =
  "{ windows: { image: { kind: disk, path: /srv/win.qcow2 }, memoryMiB: 8192 }, cni: { kind: kind-default }, nodes: [{ name: win-1 }, { name: win-2 }] }";
const notYet = "{ nodes: [{ name: win-1 }] }";

/** Settings of the lab "x". */
function settingsOf(yaml: string): Settings {
  return resolveSettings(parse(yaml) as Record<string, unknown>, {
    stack: "x",
    file: "Pulumi.x.yaml",
  });
}

interface HostCase {
  readonly name: string;
  readonly settings: string;
  /** How the host differs from one that can have any lab. */
  readonly host: Partial<HostFacts>;
  readonly problems: readonly string[];
}

const cases: readonly HostCase[] = [
  {
    name: "no Docker",
    settings: rehearsal,
    host: { docker: { reachable: false, error: "connect ENOENT /var/run/docker.sock" } },
    problems: [
      "Docker can't be reached: connect ENOENT /var/run/docker.sock. Run `make up`, which installs and starts what is missing, or do so yourself: apt-get install docker.io; systemctl start docker.",
    ],
  },
  {
    name: "a rootless Docker",
    settings: rehearsal,
    host: { docker: { reachable: true, ...docker, rootless: true } },
    problems: [
      "Docker runs rootless, with a network of its own, so that kind's containers could not be on the machines' bridge. Use the system's Docker: unset DOCKER_HOST, or set it to unix:///var/run/docker.sock.",
    ],
  },
  {
    name: "an old Docker",
    settings: rehearsal,
    host: { docker: { reachable: true, ...docker, version: "19.03.13" } },
    problems: ["Docker 19.03.13 is too old for kind. Install 20.10.0 or newer."],
  },
  {
    name: "no libvirt",
    settings: rehearsal,
    host: { libvirt: { reachable: false, error: "the program virsh is not installed" } },
    problems: [
      "libvirt (qemu:///system) can't be reached: the program virsh is not installed. Run `make up`, which installs and starts what is missing, or do so yourself: apt-get install libvirt-daemon-system libvirt-clients qemu-system-x86; systemctl start libvirtd.",
    ],
  },
  {
    name: "a libvirt without QEMU",
    settings: rehearsal,
    host: {
      libvirt: { reachable: true, ...libvirt, emulatorError: "no emulator found" },
    },
    problems: [
      'libvirt (qemu:///system) can\'t run machines of kindows:hypervisor.domainType "qemu": no emulator found. Install QEMU: apt-get install qemu-system-x86.',
    ],
  },
  {
    name: "no KVM where it is wanted",
    settings: windows,
    host: { kvm: "absent" },
    problems: [
      '/dev/kvm is not there, and kindows:hypervisor.domainType is "kvm". Turn on virtualization in the firmware, or nested virtualization where this host is a virtual machine, and load kvm_intel or kvm_amd; or, for a rehearsal, write kindows:hypervisor.domainType "qemu".',
    ],
  },
  {
    name: "a KVM for others",
    settings: windows,
    host: { kvm: "denied" },
    problems: [
      '/dev/kvm may not be opened by you. Join its group (usermod -aG kvm $USER, then log in again); or, for a rehearsal, write kindows:hypervisor.domainType "qemu".',
    ],
  },
  {
    name: "a KVM that opens and hangs",
    settings: windows,
    host: { kvm: "hangs" },
    problems: [
      '/dev/kvm opens, but a guest hangs as soon as it runs, as happens where this host is itself a virtual machine without proper nested virtualization. Use another host; or, for a rehearsal, write kindows:hypervisor.domainType "qemu".',
    ],
  },
  {
    name: "a KVM that QEMU can't use",
    settings: windows,
    host: { kvm: { error: "failed to initialize kvm: Device or resource busy" } },
    problems: [
      '/dev/kvm opens, but QEMU can\'t use it: failed to initialize kvm: Device or resource busy. Make QEMU work with it; or, for a rehearsal, write kindows:hypervisor.domainType "qemu".',
    ],
  },
  {
    name: "no KVM where none is wanted",
    settings: rehearsal,
    host: { kvm: undefined },
    problems: [],
  },
  {
    name: "tools of the provider missing",
    settings: rehearsal,
    host: { tools: { missing: ["mkisofs", "xsltproc"] } },
    problems: [
      "The program mkisofs is not on the PATH; it writes the machines' identity disks. Install it: apt-get install genisoimage.",
      "The program xsltproc is not on the PATH; it completes the machines' descriptions. Install it: apt-get install xsltproc.",
    ],
  },
  {
    name: "a disk that is not there",
    settings: windows,
    host: { image: "missing" },
    problems: [
      'kindows:windows.image.path: "/srv/win.qcow2" is not there. Write the path of a qcow2 image you may read.',
    ],
  },
  {
    name: "a disk in another format",
    settings: windows,
    host: { image: "not qcow2" },
    problems: [
      'kindows:windows.image.path: "/srv/win.qcow2" is not a qcow2 image. Convert it: qemu-img convert -O qcow2 OLD NEW.',
    ],
  },
  {
    name: "a rehearsal image that was not built",
    settings: rehearsal,
    host: { image: "missing" },
    problems: ["The rehearsal image is not built yet. Run `./kindows prepare`."],
  },
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
    name: "what this release only previews",
    settings: notYet,
    host: { image: undefined },
    problems: [
      'kindows:cni.kind: "calico" comes with release 0.2; this one, 0.1, only previews it. Write "kind-default" (no network for Windows pods), or use the stack rehearsal.',
      'kindows:windows.image.kind: "evaluation-iso" comes with release 0.2; this one, 0.1, only previews it. Write { kind: disk, path: ... } with a disk you prepared, or use the stack rehearsal.',
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
  {
    name: "a bare machine: everything that is missing is told, and nothing that follows from it",
    settings: rehearsal,
    host: {
      docker: { reachable: false, error: "connect ENOENT /var/run/docker.sock" },
      libvirt: { reachable: false, error: "the program virsh is not installed" },
      tools: { missing: ["mkisofs"] },
      image: "missing",
      disks: { pool: goodHost.disks.pool },
    },
    problems: [
      "Docker can't be reached: connect ENOENT /var/run/docker.sock. Run `make up`, which installs and starts what is missing, or do so yourself: apt-get install docker.io; systemctl start docker.",
      "libvirt (qemu:///system) can't be reached: the program virsh is not installed. Run `make up`, which installs and starts what is missing, or do so yourself: apt-get install libvirt-daemon-system libvirt-clients qemu-system-x86; systemctl start libvirtd.",
      "The program mkisofs is not on the PATH; it writes the machines' identity disks. Install it: apt-get install genisoimage.",
      "The rehearsal image is not built yet. Run `./kindows prepare`.",
    ],
  },
];

describe("preflight", () => {
  for (const settings of [rehearsal, windows]) {
    it(`has nothing against a good host for ${settings}`, () => {
      assert.deepEqual(judge(settingsOf(settings), goodHost), []);
    });
  }

  for (const { name, settings, host, problems } of cases) {
    it(name, () => {
      const found = judge(settingsOf(settings), { ...goodHost, ...host });
      assert.deepEqual(found.map(hostProblemText), problems);
    });
  }

  it("puts everything into one message", () => {
    const found = judge(settingsOf(notYet), { ...goodHost, kvm: "absent" });
    const lines = hostProblemsText(found).split("\n");
    assert.equal(lines[0], "3 things are in the way on this host; nothing was changed:");
    assert.deepEqual(
      lines.slice(1),
      found.map((problem) => `  - ${hostProblemText(problem)}`),
    );
  });
});
