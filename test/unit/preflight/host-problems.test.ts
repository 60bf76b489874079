import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { unreachable } from "../../../components/machine/hyper-v/readiness.ts";
import type { LibvirtFacts } from "../../../components/machine/libvirt/libvirt-facts.ts";
import {
  checkHypervisors,
  type HypervisorFacts,
} from "../../../components/machine/libvirt/readiness.ts";
import { hostProblemsText, hostProblemText } from "../../../config/host-problem.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import type { Settings } from "../../../config/settings.ts";
import type { HostFacts } from "../../../preflight/host-facts.ts";
import { checkConfinement } from "../../../preflight/confinement.ts";
import { checkHost } from "../../../preflight/checks.ts";
import type { DockerFacts } from "../../../preflight/docker.ts";
import { eachCase } from "../each-case.ts";

/** Docker as it comes, with nothing of a lab. */
const docker: DockerFacts = {
  version: "20.10.24+dfsg1",
  rootless: false,
  rootFolder: "/var/lib/docker",
  containers: [],
  networks: [
    { name: "host", cidrs: [] },
    { name: "bridge", cidrs: ["172.17.0.0/16"], bridge: "docker0" },
  ],
};
/** libvirt as it comes. */
const libvirt: LibvirtFacts = {
  version: "9.0.0",
  domains: [],
  pools: [],
  networks: [{ name: "default", bridge: "virbr0", cidrs: ["192.168.122.0/24"] }],
};
/** A host that can have any lab. */
const goodHost: HostFacts = {
  docker: { reachable: true, ...docker },
  libvirt: { reachable: true, ...libvirt },
  packageManager: "apt-get",
  kvm: "works",
  confinement: { by: undefined, denials: [] },
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
  missingTools: [],
  image: { virtualGiB: 8 },
  programs: { unpinned: [], missing: [] },
  linuxArtifacts: { image: { virtualGiB: 4 }, programs: "there" },
  otherHosts: [],
  segmentMtu: undefined,
};
const withDocker = (change: Partial<DockerFacts>): Partial<HostFacts> => ({
  docker: { reachable: true, ...docker, ...change },
});
const withLibvirt = (change: object): Partial<HostFacts> => ({
  libvirt: { reachable: true, ...libvirt, ...change },
});
const withImage = (image: HostFacts["image"]): Partial<HostFacts> => ({ image });

/** How a host differs from one that can have any lab; what of it is in the lab's way is in golden/host-problems.txt. */
type Cases = Readonly<Record<string, Partial<HostFacts>>>;

const small = "image: { kind: rehearsal }, memoryMiB: 3072, diskGiB: 8";
/** A small lab that needs neither KVM nor Windows. */
const rehearsal = `{ windows: { ${small} }, cni: { kind: kind-default }, hypervisor: { domainType: qemu }, nodes: [{ name: win-1 }] }`;
/** Two nodes from a prepared disk, on KVM. */
const windows =
  "{ windows: { image: { kind: disk, path: /srv/win.qcow2 }, memoryMiB: 8192 }, cni: { kind: kind-default }, nodes: [{ name: win-1 }, { name: win-2 }] }";

const nothingReachable = {
  docker: { reachable: false, error: "connect ENOENT /var/run/docker.sock" },
  libvirt: { reachable: false, error: "the program virsh is not installed" },
} as const;

/** What a host may lack. */
const missing: Cases = {
  "no Docker": { docker: nothingReachable.docker },
  "a rootless Docker": withDocker({ rootless: true }),
  "an old Docker": withDocker({ version: "19.03.13" }),
  "Fedora without anything": { ...nothingReachable, packageManager: "dnf" },
  "a distribution nobody knows, without Docker": {
    docker: nothingReachable.docker,
    packageManager: undefined,
  },
  "no libvirt": { libvirt: nothingReachable.libvirt },
  "a libvirt without QEMU": withLibvirt({ emulatorError: "no emulator found" }),
  "no KVM where none is wanted": { kvm: undefined },
  "tools of the provider missing": { missingTools: ["mkisofs", "xsltproc"] },
  "a rehearsal image that was not built": withImage("missing"),
  "a bare machine: everything that is missing is reported, and nothing that follows from it": {
    ...nothingReachable,
    missingTools: ["mkisofs"],
    image: "missing",
    disks: { pool: goodHost.disks.pool },
  },
};
const missingForWindows: Cases = {
  "no KVM where it is wanted": { kvm: "absent" },
  "a KVM for others, and for libvirt": { kvm: "denied" },
  "a KVM for others, and libvirt has none": {
    kvm: "denied",
    ...withLibvirt({ emulatorError: "invalid argument: KVM is not supported" }),
  },
  "a KVM that opens and hangs": { kvm: "hangs" },
  "a KVM that QEMU can't use": {
    kvm: { error: "failed to initialize kvm: Device or resource busy" },
  },
  "a disk that is not there": withImage("missing"),
  "a disk in another format": withImage("no disk"),
  "a VHD that was not converted": withImage("not converted"),
  "programs whose checksums nobody knows, and one that is not fetched": {
    programs: { unpinned: ["kubelet.exe", "kubeadm.exe"], missing: ["kube-log-runner.exe"] },
  },
  "too little memory": { memory: { availableMiB: 17_919, totalMiB: 20_000 } },
  "just enough memory": { memory: { availableMiB: 17_920, totalMiB: 20_000 } },
  "too little disk for machines": {
    disks: { ...goodHost.disks, pool: { ...goodHost.disks.pool, freeGiB: 41.96 } },
  },
};
const missingForIso: Cases = {
  "an ISO of one's own, of which no image was made yet": withImage("missing"),
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
  "a disk smaller than its image": withImage({ virtualGiB: 15.5 }),
  "too few inotify instances": { inotify: { limit: 128, used: 101 } },
  "just enough inotify instances": { inotify: { limit: 128, used: 100 } },
  "too little disk for Docker": {
    disks: { ...goodHost.disks, docker: { folder: "/var/lib/docker", freeGiB: 1.5, device: 2 } },
  },
  "too little disk for both on one": { disks: oneDisk(4) },
  "the lab's own machine, stopped: memory is needed, disk is not": {
    ...ownLibvirt(false),
    memory: { availableMiB: 4000, totalMiB: 8000 },
    disks: { ...goodHost.disks, pool: { folder: "/a", freeGiB: 0, device: 1 } },
  },
  "the lab's own, running, on a host that has no room for another one": {
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
};

const denied = (by: "AppArmor" | "SELinux", file: string, wanted: string): Partial<HostFacts> => ({
  confinement: { by, denials: [{ by, file, wanted }] },
});
const deniedDisk = denied("AppArmor", `${goodHost.disks.pool.folder}/kindows-x-win-1.qcow2`, "wr");
/** What AppArmor or SELinux denied once. */
const denials: Cases = {
  "a disk that AppArmor denied": deniedDisk,
  "a base that AppArmor denied": denied("AppArmor", "/pool/kindows-x-0123456789ab.qcow2", "r"),
  "a folder that SELinux denied": denied("SELinux", "kindows-x", "search"),
  "a denied file that is none of the lab's": denied("AppArmor", "/sys/devices/system/node/", "r"),
  "a denied disk of a machine that runs": { ...deniedDisk, ...ownLibvirt(true) },
  "a log that is not for your eyes": { confinement: { by: "AppArmor", denials: undefined } },
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
  "the bridge taken by an interface": {
    network: { ...goodHost.network, interfaces: ["lo", "eth0", "kw-x"] },
  },
  "the bridge taken by a libvirt network that is not running": withLibvirt({
    networks: [{ name: "theirs", bridge: "kw-x", cidrs: [] }],
  }),
  "the bridge taken by a Docker network": withDocker({
    networks: [{ name: "theirs", bridge: "kw-x", cidrs: ["10.9.0.0/24"] }],
  }),
  "the segment overlaps the host's own network": withRanges(
    ["192.168.150.0/23", "eth0"],
    ["192.168.150.0/23", "eth0"],
  ),
  "the segment overlaps a route, and what would be proposed is taken too": withRanges(
    ["192.168.144.0/20", "tun0"],
    ["192.168.160.0/24", "eth0"],
  ),
  "the segment overlaps networks of Docker and of libvirt, whose bridges are not reported again": {
    ...withDocker({
      networks: [{ name: "shop_default", bridge: "br-1", cidrs: ["192.168.150.0/26"] }],
    }),
    ...withLibvirt({
      networks: [{ name: "ci", bridge: "virbr1", cidrs: ["192.168.150.64/26"] }],
    }),
    ...withRanges(["192.168.150.0/26", "br-1"], ["192.168.150.64/26", "virbr1"]),
  },
  "a foreign machine of a node's name": withLibvirt({
    domains: [{ name: "kindows-x-win-1", running: false, networks: ["default"] }],
  }),
  "a foreign pool in the lab's folder, and one of the lab's name elsewhere": withLibvirt({
    pools: [
      { name: "old", path: "/var/lib/libvirt/images/kindows-x" },
      { name: "kindows-x", path: "/srv/images" },
      { name: "default", path: "/var/lib/libvirt/images" },
    ],
  }),
  "a foreign container of the control plane's name": withDocker({
    containers: [
      { name: "kindows-x-control-plane", running: true },
      { name: "other-control-plane", kindCluster: "other", running: true },
    ],
  }),
};

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
/** A node here and two on another host. */
const fleet = `{ windows: { ${small} }, cni: { kind: kind-default }, hypervisors: [{ name: b, uri: "qemu+ssh://root@b.example.test/system", hostKey: ${key}, privateKeyFile: /k, bridge: br0 }], nodes: [{ name: win-1, hypervisor: local }, { name: win-2, hypervisor: b }, { name: win-3, hypervisor: b }] }`;
/** A node on a Windows host with Hyper-V. */
const hyperV = `{ windows: { image: { kind: disk, path: /w.qcow2 } }, hyperVHosts: [{ name: hv, address: hv.example.test, hostKey: ${key}, privateKeyFile: /k, switch: Lab, folder: 'D:\\kindows', image: 'D:\\w.vhdx' }], nodes: [{ name: win-1, hypervisor: hv }] }`;

/** The other host, as it differs from one that can have its nodes. */
const other = (change: object): Partial<HostFacts> =>
  onHypervisor({
    name: "b",
    libvirt: {
      reachable: true as const,
      ...libvirt,
      bridge: { mtu: 1500 },
      availableMiB: 10_000,
      ...change,
    },
  });
const onHypervisor = (facts: HypervisorFacts): Partial<HostFacts> => ({
  otherHosts: checkHypervisors(settingsOf(fleet), [facts]),
});
const foreign = { name: "kindows-x-win-3", running: false, networks: [] };

/** Another host that nodes are placed on. */
const elsewhere: Cases = {
  "another host that can have its nodes": other({}),
  "another host whose libvirt reports nothing about bridge and memory": other({
    bridge: "unknown",
    availableMiB: undefined,
  }),
  "another host that does not answer, named with its address": onHypervisor({
    name: "b",
    libvirt: { reachable: false, error: "no route" },
  }),
  "a key that cannot log in, reported without what follows from it": onHypervisor({
    name: "b",
    keyError: "is encrypted",
    libvirt: { reachable: false, error: "not asked" },
  }),
  "another host without KVM": other({ emulatorError: "KVM is not available" }),
  "a bridge that is not there": other({ bridge: "missing" }),
  "bridges that take small packets, there and here": {
    ...other({ bridge: { mtu: 1450 } }),
    segmentMtu: 1450,
  },
  "too little memory on another host, for machines that do not run yet": other({
    availableMiB: 6655,
  }),
  "enough memory on another host where one runs already": other({
    availableMiB: 3328,
    domains: [{ name: "kindows-x-win-2", running: true, networks: [] }],
    pools: [{ name: "kindows-x.b", path: "/var/lib/libvirt/images/kindows-x.b" }],
  }),
  "another lab's pool and machine on another host": other({
    pools: [{ name: "kindows-x.b", path: "/srv" }],
    domains: [foreign],
  }),
  "somebody's machine on another host where the lab has nothing": other({ domains: [foreign] }),
  "memory of this host for its own nodes only": {
    ...other({}),
    memory: { availableMiB: 4351, totalMiB: 8000 },
  },
};
const reached = (error: string | undefined): Partial<HostFacts> => ({
  otherHosts: settingsOf(hyperV).hyperVHosts.flatMap((host, at) => unreachable(host, at, error)),
});
const onHyperV: Cases = {
  "a Hyper-V host that can be logged in to": reached(undefined),
  "a Hyper-V host that cannot": reached("no answer within 10 s. Is it on?"),
  "a bridge of this host that carries less than a Hyper-V host's machines send": {
    segmentMtu: 1450,
  },
};

/** A lab with a Linux machine from this image. */
const linux = (image: string): string =>
  `{ windows: { ${small} }, cni: { kind: kind-default }, hypervisor: { domainType: qemu }, linux: { image: { ${image} } }, nodes: [{ name: win-1 }, { name: linux-1, os: linux, diskGiB: 8 }] }`;
const sha256 = `sha256: "${"a".repeat(64)}"`;

type LinuxArtifacts = NonNullable<HostFacts["linuxArtifacts"]>;
const media = (
  image: LinuxArtifacts["image"],
  programs: LinuxArtifacts["programs"] = "there",
): Partial<HostFacts> => ({ linuxArtifacts: { image, programs } });

/** What may be wrong with the disk that Linux machines start from, by what the settings say of it. */
const linuxImages: Readonly<Record<string, Cases>> = {
  "path: /srv/debian.qcow2": {
    "a cloud image that is not there": media("missing"),
    "a cloud image that can't be read": media("unreadable"),
    "a cloud image that is none": media("no disk"),
    "a cloud image larger than the disk that stands on it": media({ virtualGiB: 9.5 }),
  },
  "": {
    "nothing made for Linux machines": media("not prepared", "missing"),
  },
  [`url: "https://cloud.example.com/ubuntu.img", ${sha256}`]: {
    "a cloud image that nobody has downloaded": media("not prepared"),
  },
  [`path: /srv/debian.qcow2, ${sha256}`]: {
    "a cloud image that is another one": media({ wrongSha256: "b".repeat(64) }),
  },
};

/** Settings of the lab "x". */
function settingsOf(yaml: string): Settings {
  const settings = parse(yaml) as Record<string, unknown>;
  return resolveSettings(settings, { stack: "x", file: "Pulumi.x.yaml" });
}

describe("preflight", () => {
  const golden = readFileSync(new URL("golden/host-problems.txt", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");

  for (const [settings, cases] of [
    [rehearsal, { "a good host": {}, ...missing, ...conflicts, ...room, ...denials }],
    [windows, { "a good host for Windows": {}, ...missingForWindows }],
    [
      "{ windows: { image: { kind: iso, path: /srv/windows.iso } }, cni: { kind: kind-default } }",
      missingForIso,
    ],
    [fleet, elsewhere],
    [hyperV, onHyperV],
    ...Object.entries(linuxImages).map(([image, cases]) => [linux(image), cases] as const),
  ] as const) {
    eachCase("%s", cases, (host, name) => {
      const [asked, facts] = [settingsOf(settings), { ...goodHost, ...host }];
      const found = [...checkHost(asked, facts), ...checkConfinement(asked, facts)];
      const problems = found.map((problem) => `${name}: ${hostProblemText(problem)}`);
      const reported = golden.filter((line) => line.startsWith(`${name}: `));
      assert.deepEqual(problems, reported);
    });
  }

  it("puts everything into one message", () => {
    const found = checkHost(settingsOf(windows), { ...goodHost, kvm: "absent", image: "missing" });
    const lines = hostProblemsText(found).split("\n");
    assert.equal(lines[0], "2 things are in the way on this host; nothing was changed:");
    const texts = found.map((problem) => `  - ${hostProblemText(problem)}`);
    assert.deepEqual(lines.slice(1), texts);
  });
});
