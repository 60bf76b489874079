import assert from "node:assert/strict";
import { parse } from "yaml";
import { hostProblemsText, hostProblemText } from "../../../config/host-problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import type { Settings } from "../../../config/settings.ts";
import type { HostFacts } from "../../../preflight/host-facts.ts";
import { judge } from "../../../preflight/judge.ts";
import type { DockerFacts } from "../../../preflight/probe-docker.ts";
import type { LibvirtFacts } from "../../../preflight/probe-libvirt.ts";
import { eachCase } from "../each-case.ts";

/** Docker as it comes, with nothing of a lab. */
const docker: DockerFacts = {
  ...{ version: "20.10.24+dfsg1", rootless: false, rootFolder: "/var/lib/docker", containers: [] },
  networks: [
    { name: "host", cidrs: [] },
    { name: "bridge", cidrs: ["172.17.0.0/16"], bridge: "docker0" },
  ],
};
/** libvirt as it comes. */
const libvirt: LibvirtFacts = {
  ...{ version: "9.0.0", domains: [], pools: [] },
  networks: [{ name: "default", bridge: "virbr0", cidrs: ["192.168.122.0/24"] }],
};
/** A host that can have any lab. */
const goodHost: HostFacts = {
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
  ...{ hypervisors: [], hyperVHosts: [] },
};
const withDocker = (change: Partial<DockerFacts>): Partial<HostFacts> => ({
  docker: { reachable: true, ...docker, ...change },
});
const withLibvirt = (change: object): Partial<HostFacts> => ({
  libvirt: { reachable: true, ...libvirt, ...change },
});
const withImage = (image: HostFacts["image"]): Partial<HostFacts> => ({ image });

/** How a host differs from one that can have any lab, and what of it is in the lab's way. */
type Cases = Readonly<Record<string, readonly [Partial<HostFacts>, ...problems: string[]]>>;

const small = "image: { kind: rehearsal }, memoryMiB: 3072, diskGiB: 8";
/** A small lab that needs neither KVM nor Windows. */
const rehearsal = `{ windows: { ${small} }, cni: { kind: kind-default }, hypervisor: { domainType: qemu }, nodes: [{ name: win-1 }] }`;
/** Two nodes from a prepared disk, on KVM. */
const windows =
  "{ windows: { image: { kind: disk, path: /srv/win.qcow2 }, memoryMiB: 8192 }, cni: { kind: kind-default }, nodes: [{ name: win-1 }, { name: win-2 }] }";

const noDocker =
  "Docker can't be reached: connect ENOENT /var/run/docker.sock. Run `make up`, which installs and starts what is missing, or do so yourself: apt-get install docker.io; systemctl start docker.";
const noLibvirt =
  "libvirt (qemu:///system) can't be reached: the program virsh is not installed. Run `make up`, which installs and starts what is missing, or do so yourself: apt-get install libvirt-daemon-system libvirt-clients qemu-system-x86; systemctl start libvirtd.";
const noMkisofs =
  "The program mkisofs is not on the PATH; it writes the machines' identity disks. Install it: apt-get install genisoimage.";
const nothingReachable = {
  docker: { reachable: false, error: "connect ENOENT /var/run/docker.sock" },
  libvirt: { reachable: false, error: "the program virsh is not installed" },
} as const;

/** What a host may lack. */
const missing: Cases = {
  "no Docker": [{ docker: nothingReachable.docker }, noDocker],
  "a rootless Docker": [
    withDocker({ rootless: true }),
    "Docker runs rootless, with a network of its own, so that kind's containers could not be on the machines' bridge. Use the system's Docker: unset DOCKER_HOST, or set it to unix:///var/run/docker.sock.",
  ],
  "an old Docker": [
    withDocker({ version: "19.03.13" }),
    "Docker 19.03.13 is too old for kind. Install 20.10.0 or newer.",
  ],
  "no libvirt": [{ libvirt: nothingReachable.libvirt }, noLibvirt],
  "a libvirt without QEMU": [
    withLibvirt({ emulatorError: "no emulator found" }),
    'libvirt (qemu:///system) can\'t run machines of kindows:hypervisor.domainType "qemu": no emulator found. Install QEMU: apt-get install qemu-system-x86.',
  ],
  "no KVM where none is wanted": [{ kvm: undefined }],
  "tools of the provider missing": [
    { tools: { missing: ["mkisofs", "xsltproc"] } },
    noMkisofs,
    "The program xsltproc is not on the PATH; it completes the machines' descriptions. Install it: apt-get install xsltproc.",
  ],
  "a rehearsal image that was not built": [
    withImage("missing"),
    "The rehearsal image is not built yet. Run `./kindows prepare --stack <name>`.",
  ],
  "a bare machine: everything that is missing is told, and nothing that follows from it": [
    {
      ...nothingReachable,
      ...{ tools: { missing: ["mkisofs"] }, image: "missing" },
      disks: { pool: goodHost.disks.pool },
    },
    ...[noDocker, noLibvirt, noMkisofs],
    "The rehearsal image is not built yet. Run `./kindows prepare --stack <name>`.",
  ],
};
const missingForWindows: Cases = {
  "no KVM where it is wanted": [
    { kvm: "absent" },
    '/dev/kvm is not there, and kindows:hypervisor.domainType is "kvm". Turn on virtualization in the firmware, or nested virtualization where this host is a virtual machine, and load kvm_intel or kvm_amd; or, for a rehearsal, write kindows:hypervisor.domainType "qemu".',
  ],
  "a KVM for others": [
    { kvm: "denied" },
    '/dev/kvm may not be opened by you. Join its group (usermod -aG kvm $USER, then log in again); or, for a rehearsal, write kindows:hypervisor.domainType "qemu".',
  ],
  "a KVM that opens and hangs": [
    { kvm: "hangs" },
    '/dev/kvm opens, but a guest hangs as soon as it runs, as happens where this host is itself a virtual machine without proper nested virtualization. Use another host; or, for a rehearsal, write kindows:hypervisor.domainType "qemu".',
  ],
  "a KVM that QEMU can't use": [
    { kvm: { error: "failed to initialize kvm: Device or resource busy" } },
    '/dev/kvm opens, but QEMU can\'t use it: failed to initialize kvm: Device or resource busy. Make QEMU work with it; or, for a rehearsal, write kindows:hypervisor.domainType "qemu".',
  ],
  "a disk that is not there": [
    withImage("missing"),
    'kindows:windows.image.path: "/srv/win.qcow2" is not there. Write the path of a qcow2, VHD or VHDX image you may read.',
  ],
  "a disk in another format": [
    withImage("no disk"),
    'kindows:windows.image.path: "/srv/win.qcow2" is neither a qcow2 image nor VHD or VHDX. Convert it: qemu-img convert -O qcow2 OLD NEW.',
  ],
  "a VHD that was not converted": [
    withImage("not converted"),
    'kindows:windows.image.path: "/srv/win.qcow2" is not converted yet. Run `./kindows prepare --stack <name>`.',
  ],
  "programs whose checksums nobody knows, and one that is not fetched": [
    { programs: { unpinned: ["kubelet.exe", "kubeadm.exe"], missing: ["kube-log-runner.exe"] } },
    "The checksum of kubelet.exe, kubeadm.exe is not known, and nothing is installed without one. Run `./kindows fetch --stack <name>`, which takes those their publishers give, or write them into kindows:windows.checksums.",
    "The Windows program kube-log-runner.exe is not in this host's cache. Run `./kindows fetch --stack <name>`.",
  ],
  "too little memory": [
    { memory: { availableMiB: 17_919, totalMiB: 20_000 } },
    "Memory of 17920 MiB is needed (machine win-1 8448, machine win-2 8448, container kindows-x-control-plane 1024), 17919 of 20000 MiB are available. Have fewer nodes, write less for kindows:windows.memoryMiB, or stop something else.",
  ],
  "just enough memory": [{ memory: { availableMiB: 17_920, totalMiB: 20_000 } }],
  "too little disk for machines": [
    { disks: { ...goodHost.disks, pool: { ...goodHost.disks.pool, freeGiB: 41.96 } } },
    "The disk of /var/lib/libvirt/images/kindows-x has 42.0 GiB free, 42 GiB are needed. Make room there, or have fewer nodes.",
  ],
};
const missingForIso: Cases = {
  "an ISO of one's own, of which no image was made yet": [
    withImage("missing"),
    "The Windows image is not built yet. Run `./kindows image build --stack <name>`.",
  ],
};

/** The lab's own things, its one machine running or not. */
const ownLibvirt = (running: boolean): Partial<HostFacts> =>
  withLibvirt({
    networks: [{ name: "kindows-x", bridge: "kw-x", cidrs: ["192.168.150.0/24"] }],
    domains: [{ name: "kindows-x-win-1", running, networks: ["kindows-x"] }],
    pools: [{ name: "kindows-x", path: "/var/lib/libvirt/images/kindows-x" }],
  });
/** One disk for machines and for Docker, of which so much is free. */
const oneDisk = (freeGiB: number): HostFacts["disks"] => ({
  pool: { folder: "/a", freeGiB, device: 7 },
  docker: { folder: "/b", freeGiB, device: 7 },
});

/** Memory and disks. */
const room: Cases = {
  "a disk smaller than its image": [
    withImage({ virtualGiB: 15.5 }),
    "The disk of win-1, 8 GiB, is smaller than its image, 16 GiB. Write 16 or more for kindows:windows.diskGiB, or the node's own diskGiB.",
  ],
  "too few inotify instances": [
    { inotify: { limit: 128, used: 101 } },
    "fs.inotify.max_user_instances is 128, of which 101 are in use; the Linux nodes need 28 more. Run `sysctl -w fs.inotify.max_user_instances=512`, and write it to /etc/sysctl.d/ for the next boot.",
  ],
  "just enough inotify instances": [{ inotify: { limit: 128, used: 100 } }],
  "too little disk for Docker": [
    {
      disks: { ...goodHost.disks, docker: { folder: "/var/lib/docker", freeGiB: 1.5, device: 2 } },
    },
    "The disk of /var/lib/docker has 1.5 GiB free, 3 GiB are needed. Make room there, or have fewer nodes.",
  ],
  "too little disk for both on one": [
    { disks: oneDisk(4) },
    "The disk of /a and /b has 4.0 GiB free, 5 GiB are needed. Make room there, or have fewer nodes.",
  ],
  "the lab's own machine, stopped: memory is needed, disk is not": [
    {
      ...ownLibvirt(false),
      memory: { availableMiB: 4000, totalMiB: 8000 },
      disks: { ...goodHost.disks, pool: { folder: "/a", freeGiB: 0, device: 1 } },
    },
    "Memory of 4352 MiB is needed (machine win-1 3328, container kindows-x-control-plane 1024), 4000 of 8000 MiB are available. Have fewer nodes, write less for kindows:windows.memoryMiB, or stop something else.",
  ],
  "the lab's own, running, on a host that has no room for another one": [
    {
      ...withDocker({
        networks: [{ name: "kindows-x", bridge: "kw-x", cidrs: ["192.168.150.0/24"] }],
        containers: [{ name: "kindows-x-control-plane", kindCluster: "kindows-x", running: true }],
      }),
      ...ownLibvirt(true),
      network: {
        interfaces: ["lo", "kw-x"],
        ranges: [{ cidr: "192.168.150.0/24", interface: "kw-x" }],
      },
      memory: { availableMiB: 100, totalMiB: 4000 },
      disks: oneDisk(0.1),
    },
  ],
};

/** Networks of the host, and an interface for each. */
const withRanges = (...ranges: readonly [cidr: string, name: string][]): Partial<HostFacts> => ({
  network: {
    interfaces: ["lo", ...ranges.map(([, name]) => name)],
    ranges: ranges.map(([cidr, name]) => ({ cidr, interface: name })),
  },
});

/** What of a host may be in the way: somebody else's networks and names; never the lab's own. */
const conflicts: Cases = {
  "the bridge taken by an interface": [
    { network: { ...goodHost.network, interfaces: ["lo", "eth0", "kw-x"] } },
    'kindows:network.bridge: "kw-x" is taken by a network interface of this host. Write another name, or remove that (`./kindows doctor` tells whether it is left over from a lab).',
  ],
  "the bridge taken by a libvirt network that is not running": [
    withLibvirt({ networks: [{ name: "theirs", bridge: "kw-x", cidrs: [] }] }),
    'kindows:network.bridge: "kw-x" is taken by libvirt\'s network theirs. Write another name, or remove that (`./kindows doctor` tells whether it is left over from a lab).',
  ],
  "the bridge taken by a Docker network": [
    withDocker({ networks: [{ name: "theirs", bridge: "kw-x", cidrs: ["10.9.0.0/24"] }] }),
    'kindows:network.bridge: "kw-x" is taken by Docker\'s network theirs. Write another name, or remove that (`./kindows doctor` tells whether it is left over from a lab).',
  ],
  "the segment overlaps the host's own network": [
    withRanges(["192.168.150.0/23", "eth0"], ["192.168.150.0/23", "eth0"]),
    'kindows:network.cidr: "192.168.150.0/24" overlaps 192.168.150.0/23 at this host\'s interface eth0. Write a range that is free here, e.g. 192.168.160.0/24.',
  ],
  "the segment overlaps a route, and what would be proposed is taken too": [
    withRanges(["192.168.144.0/20", "tun0"], ["192.168.160.0/24", "eth0"]),
    'kindows:network.cidr: "192.168.150.0/24" overlaps 192.168.144.0/20 at this host\'s interface tun0. Write a range that is free here, e.g. 192.168.170.0/24.',
  ],
  "the segment overlaps networks of Docker and of libvirt, whose bridges are not told again": [
    {
      ...withDocker({
        networks: [{ name: "shop_default", bridge: "br-1", cidrs: ["192.168.150.0/26"] }],
      }),
      ...withLibvirt({
        networks: [{ name: "ci", bridge: "virbr1", cidrs: ["192.168.150.64/26"] }],
      }),
      ...withRanges(["192.168.150.0/26", "br-1"], ["192.168.150.64/26", "virbr1"]),
    },
    "kindows:network.cidr: \"192.168.150.0/24\" overlaps libvirt's network ci (192.168.150.64/26) and Docker's network shop_default (192.168.150.0/26). Write a range that is free here, e.g. 192.168.160.0/24.",
  ],
  "a foreign machine of a node's name": [
    withLibvirt({ domains: [{ name: "kindows-x-win-1", running: false, networks: ["default"] }] }),
    "libvirt's machine kindows-x-win-1 has the name of a node's, but is not on the lab's network. Rename or remove it, or write another kindows:lab.name.",
  ],
  "a foreign pool in the lab's folder, and one of the lab's name elsewhere": [
    withLibvirt({
      pools: [
        { name: "old", path: "/var/lib/libvirt/images/kindows-x" },
        { name: "kindows-x", path: "/srv/images" },
        { name: "default", path: "/var/lib/libvirt/images" },
      ],
    }),
    "libvirt's pool old is in the lab's folder /var/lib/libvirt/images/kindows-x. Rename or remove it, or write another kindows:lab.name.",
    "libvirt's pool kindows-x has the lab's name, but is in /srv/images. Rename or remove it, or write another kindows:lab.name.",
  ],
  "a foreign container of the control plane's name": [
    withDocker({
      containers: [
        { name: "kindows-x-control-plane", running: true },
        { name: "other-control-plane", kindCluster: "other", running: true },
      ],
    }),
    "Docker's container kindows-x-control-plane has the name of a node's, but is not of the lab's kind cluster. Rename or remove it, or write another kindows:lab.name.",
  ],
};

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
/** A node here and two on another host. */
const fleet = `{ windows: { ${small} }, cni: { kind: kind-default }, hypervisors: [{ name: b, uri: "qemu+ssh://root@b.example.test/system", hostKey: ${key}, privateKeyFile: /k, bridge: br0 }], nodes: [{ name: win-1, hypervisor: local }, { name: win-2, hypervisor: b }, { name: win-3, hypervisor: b }] }`;
/** A node on a Windows host with Hyper-V. */
const hyperV = `{ windows: { image: { kind: disk, path: /w.qcow2 } }, hyperVHosts: [{ name: hv, address: hv.example.test, hostKey: ${key}, privateKeyFile: /k, switch: Lab, folder: 'D:\\kindows', image: 'D:\\w.vhdx' }], nodes: [{ name: win-1, hypervisor: hv }] }`;

/** The other host, as it differs from one that can have its nodes. */
const other = (change: object): Partial<HostFacts> => ({
  hypervisors: [
    {
      name: "b",
      libvirt: {
        ...{ reachable: true as const, ...libvirt },
        ...{ bridge: { mtu: 1500 }, availableMiB: 10_000, ...change },
      },
    },
  ],
});
const b = "The hypervisor b (qemu+ssh://root@b.example.test/system)";
const foreign = { name: "kindows-x-win-3", running: false, networks: [] };
const small1450 = (bridge: string): string =>
  `The bridge ${bridge} takes packets of 1450 bytes, the machines send 1500: large ones would be lost. Give it, and what connects it, an MTU of 1500; a VXLAN wants 50 more below it (docs/fleet.md).`;

/** Another host that nodes are placed on. */
const elsewhere: Cases = {
  "another host that can have its nodes": [other({})],
  "another host whose libvirt tells nothing of bridge and memory": [
    other({ bridge: "unknown", availableMiB: undefined }),
  ],
  "another host that does not answer, named with its address": [
    { hypervisors: [{ name: "b", libvirt: { reachable: false, error: "no route" } }] },
    `${b} can't be reached: no route. See whether libvirtd and sshd run there, and whether key and host key are right. To go on without its nodes: \`make up\`, which leaves them as they are (KINDOWS_AWAY=b, docs/fleet.md).`,
  ],
  "a key that cannot log in, told without what follows from it": [
    {
      hypervisors: [
        { name: "b", keyError: "is encrypted", libvirt: { reachable: false, error: "not asked" } },
      ],
    },
    "kindows:hypervisors[0].privateKeyFile is encrypted. Write the file of a private key that may log in there, without a passphrase: libvirt's provider asks for none.",
  ],
  "another host without KVM": [
    other({ emulatorError: "KVM is not available" }),
    `${b} can't run machines of its domainType: KVM is not available. Install QEMU and make KVM work on b, or, for a rehearsal, write "qemu".`,
  ],
  "a bridge that is not there": [
    other({ bridge: "missing" }),
    `kindows:hypervisors[0].bridge "br0" is no bridge of b. Make it there and connect it to this host's, as docs/fleet.md shows, or write the one that is.`,
  ],
  "bridges that take small packets, there and here": [
    { ...other({ bridge: { mtu: 1450 } }), segmentMtu: 1450 },
    ...[small1450("br0 of b"), small1450("kw-x of this host")],
  ],
  "too little memory on another host, for machines that do not run yet": [
    other({ availableMiB: 6655 }),
    `${b} has 6655 MiB of memory available, 6656 are needed (win-2 3328, win-3 3328). Place nodes elsewhere (kindows:nodes[].hypervisor), or stop something there.`,
  ],
  "enough memory on another host where one runs already": [
    other({
      availableMiB: 3328,
      domains: [{ name: "kindows-x-win-2", running: true, networks: [] }],
      pools: [{ name: "kindows-x.b", path: "/var/lib/libvirt/images/kindows-x.b" }],
    }),
  ],
  "another lab's pool and machine on another host": [
    other({ pools: [{ name: "kindows-x.b", path: "/srv" }], domains: [foreign] }),
    "libvirt's pool kindows-x.b on b has the lab's name or folder there, kindows-x.b in /var/lib/libvirt/images/kindows-x.b, but not both. Rename or remove it, or write another kindows:lab.name.",
  ],
  "somebody's machine on another host where the lab has nothing": [
    other({ domains: [foreign] }),
    "libvirt's machine kindows-x-win-3 on b has the name of a node's, but the lab has nothing there yet. Rename or remove it, or write another kindows:lab.name.",
  ],
  "memory of this host for its own nodes only": [
    { ...other({}), memory: { availableMiB: 4351, totalMiB: 8000 } },
    "Memory of 4352 MiB is needed (machine win-1 3328, container kindows-x-control-plane 1024), 4351 of 8000 MiB are available. Have fewer nodes, write less for kindows:windows.memoryMiB, or stop something else.",
  ],
};
const onHyperV: Cases = {
  "a Hyper-V host that can be logged in to": [{ hyperVHosts: [{ name: "hv" }] }],
  "a Hyper-V host that cannot": [
    { hyperVHosts: [{ name: "hv", error: "no answer within 10 s. Is it on?" }] },
    "The Hyper-V host hv (Administrator@hv.example.test:22) cannot be logged in to: no answer within 10 s. Is it on?. Its settings are kindows:hyperVHosts[0].",
  ],
  "a bridge of this host that carries less than a Hyper-V host's machines send": [
    { hyperVHosts: [{ name: "hv" }], segmentMtu: 1450 },
    small1450("kw-x of this host"),
  ],
};

/** A lab with a Linux machine from this image. */
const linux = (image: string): string =>
  `{ windows: { ${small} }, cni: { kind: kind-default }, hypervisor: { domainType: qemu }, linux: { image: { ${image} } }, nodes: [{ name: win-1 }, { name: linux-1, os: linux, diskGiB: 8 }] }`;
const sha256 = `sha256: "${"a".repeat(64)}"`;

type LinuxMedia = NonNullable<HostFacts["linuxMedia"]>;
const media = (
  image: LinuxMedia["image"],
  programs: LinuxMedia["programs"] = "there",
): Partial<HostFacts> => ({ linuxMedia: { image, programs } });

/** What may be wrong with the disk that Linux machines start from, by what the settings say of it. */
const linuxImages: Readonly<Record<string, Cases>> = {
  "path: /srv/debian.qcow2": {
    "a cloud image that is not there": [
      media("missing"),
      'kindows:linux.image.path: "/srv/debian.qcow2" is not there. Write the path of a cloud image you may read.',
    ],
    "a cloud image that can't be read": [
      media("unreadable"),
      `kindows:linux.image.path: "/srv/debian.qcow2" can't be read. Write the path of a cloud image you may read.`,
    ],
    "a cloud image that is none": [
      media("no disk"),
      `kindows:linux.image.path: "/srv/debian.qcow2" is neither a qcow2, VHD or VHDX image nor a disk with a partition table. Write the path of a cloud image: Debian's end in .qcow2, Ubuntu's in .img.`,
    ],
    "a cloud image larger than the disk that stands on it": [
      media({ virtualGiB: 9.5 }),
      "The disk of linux-1, 8 GiB, is smaller than its image, 10 GiB. Write 10 or more for kindows:linux.diskGiB, or the node's own diskGiB.",
    ],
  },
  "": {
    "nothing made for Linux machines": [
      media("not prepared", "missing"),
      "The disk of Linux machines is not prepared yet. Run `./kindows prepare`.",
      "The programs of Linux machines are not made yet. Run `./kindows prepare`.",
    ],
  },
  [`url: "https://cloud.example.com/ubuntu.img", ${sha256}`]: {
    "a cloud image that nobody has downloaded": [
      media("not prepared"),
      'kindows:linux.image.url: "https://cloud.example.com/ubuntu.img" is not prepared yet. Run `./kindows prepare`.',
    ],
  },
  [`path: /srv/debian.qcow2, ${sha256}`]: {
    "a cloud image that is another one": [
      media({ wrongSha256: "b".repeat(64) }),
      `kindows:linux.image.path: "/srv/debian.qcow2" has SHA-256 ${"b".repeat(64)}, not ${"a".repeat(64)} as in the settings. Compare with what its publisher says, and download it again.`,
    ],
  },
};

/** Settings of the lab "x". */
function settingsOf(yaml: string): Settings {
  const settings = parse(yaml) as Record<string, unknown>;
  return resolveSettings(settings, { stack: "x", file: "Pulumi.x.yaml" });
}

describe("preflight", () => {
  for (const [settings, cases] of [
    [rehearsal, { "a good host": [{}], ...missing, ...conflicts, ...room }],
    [windows, { "a good host for Windows": [{}], ...missingForWindows }],
    [
      "{ windows: { image: { kind: iso, path: /srv/windows.iso } }, cni: { kind: kind-default } }",
      missingForIso,
    ],
    [fleet, elsewhere],
    [hyperV, onHyperV],
    ...Object.entries(linuxImages).map(([image, cases]) => [linux(image), cases] as const),
  ] as const) {
    eachCase("%s", cases, ([host, ...problems]) => {
      const found = judge(settingsOf(settings), { ...goodHost, ...host });
      assert.deepEqual(found.map(hostProblemText), problems);
    });
  }

  it("puts everything into one message", () => {
    const found = judge(settingsOf(windows), { ...goodHost, kvm: "absent", image: "missing" });
    const lines = hostProblemsText(found).split("\n");
    assert.equal(lines[0], "2 things are in the way on this host; nothing was changed:");
    const texts = found.map((problem) => `  - ${hostProblemText(problem)}`);
    assert.deepEqual(lines.slice(1), texts);
  });
});
