import type { HypervisorFacts } from "../../../preflight/probe-hypervisors.ts";
import { libvirt } from "./good-host.ts";
import type { HostCase } from "./host-case.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";

/** A node here and two on another host. */
export const fleet = `{ windows: { image: { kind: rehearsal }, memoryMiB: 3072, diskGiB: 8 }, cni: { kind: kind-default }, hypervisors: [{ name: b, uri: "qemu+ssh://root@b.example.test/system", hostKey: ${key}, privateKeyFile: /k, bridge: br0 }], nodes: [{ name: win-1, hypervisor: local }, { name: win-2, hypervisor: b }, { name: win-3, hypervisor: b }] }`;

/** A node on a Windows host with Hyper-V. */
const hyperV = `{ windows: { image: { kind: disk, path: /w.qcow2 } }, hyperVHosts: [{ name: hv, address: hv.example.test, hostKey: ${key}, privateKeyFile: /k, switch: Lab, folder: 'D:\\kindows', image: 'D:\\w.vhdx' }], nodes: [{ name: win-1, hypervisor: hv }] }`;

const answers = {
  reachable: true,
  ...libvirt,
  bridge: { mtu: 1500 },
  availableMiB: 10_000,
} as const;

/** The other host, as it differs from one that can have its nodes. */
function other(libvirtFacts: object): Partial<{ hypervisors: readonly HypervisorFacts[] }> {
  return { hypervisors: [{ name: "b", libvirt: { ...answers, ...libvirtFacts } }] };
}

const b = "The hypervisor b (qemu+ssh://root@b.example.test/system)";

/** Another host that nodes are placed on. */
export const hypervisorCases: readonly HostCase[] = [
  { name: "another host that can have its nodes", settings: fleet, host: other({}), problems: [] },
  {
    name: "a Hyper-V host that can be logged in to",
    settings: hyperV,
    host: { hyperVHosts: [{ name: "hv" }] },
    problems: [],
  },
  {
    name: "a Hyper-V host that cannot",
    settings: hyperV,
    host: { hyperVHosts: [{ name: "hv", error: "no answer within 10 s. Is it on?" }] },
    problems: [
      "The Hyper-V host hv (Administrator@hv.example.test:22) cannot be logged in to: no answer within 10 s. Is it on?. Its settings are kindows:hyperVHosts[0].",
    ],
  },
  {
    name: "a bridge of this host that carries less than a Hyper-V host's machines send",
    settings: hyperV,
    host: { hyperVHosts: [{ name: "hv" }], segmentMtu: 1450 },
    problems: [
      "The bridge kw-x of this host takes packets of 1450 bytes, the machines send 1500: large ones would be lost. Give it, and what connects it, an MTU of 1500; a VXLAN wants 50 more below it (docs/fleet.md).",
    ],
  },
  {
    name: "another host whose libvirt tells nothing of bridge and memory",
    settings: fleet,
    host: other({ bridge: "unknown", availableMiB: undefined }),
    problems: [],
  },
  {
    name: "another host that does not answer, named with its address",
    settings: fleet,
    host: { hypervisors: [{ name: "b", libvirt: { reachable: false, error: "no route" } }] },
    problems: [
      `${b} can't be reached: no route. See whether libvirtd and sshd run there, and whether key and host key are right. To go on without its nodes: \`make up\`, which leaves them as they are (KINDOWS_AWAY=b, docs/fleet.md).`,
    ],
  },
  {
    name: "a key that cannot log in, told without what follows from it",
    settings: fleet,
    host: {
      hypervisors: [
        { name: "b", keyError: "is encrypted", libvirt: { reachable: false, error: "not asked" } },
      ],
    },
    problems: [
      "kindows:hypervisors[0].privateKeyFile is encrypted. Write the file of a private key that may log in there, without a passphrase: libvirt's provider asks for none.",
    ],
  },
  {
    name: "another host without KVM",
    settings: fleet,
    host: other({ emulatorError: "KVM is not available" }),
    problems: [
      `${b} can't run machines of its domainType: KVM is not available. Install QEMU and make KVM work on b, or, for a rehearsal, write "qemu".`,
    ],
  },
  {
    name: "a bridge that is not there",
    settings: fleet,
    host: other({ bridge: "missing" }),
    problems: [
      `kindows:hypervisors[0].bridge "br0" is no bridge of b. Make it there and connect it to this host's, as docs/fleet.md shows, or write the one that is.`,
    ],
  },
  {
    name: "bridges that take small packets, there and here",
    settings: fleet,
    host: { ...other({ bridge: { mtu: 1450 } }), segmentMtu: 1450 },
    problems: [
      "The bridge br0 of b takes packets of 1450 bytes, the machines send 1500: large ones would be lost. Give it, and what connects it, an MTU of 1500; a VXLAN wants 50 more below it (docs/fleet.md).",
      "The bridge kw-x of this host takes packets of 1450 bytes, the machines send 1500: large ones would be lost. Give it, and what connects it, an MTU of 1500; a VXLAN wants 50 more below it (docs/fleet.md).",
    ],
  },
  {
    name: "too little memory on another host, for machines that do not run yet",
    settings: fleet,
    host: other({ availableMiB: 6655 }),
    problems: [
      `${b} has 6655 MiB of memory available, 6656 are needed (win-2 3328, win-3 3328). Place nodes elsewhere (kindows:nodes[].hypervisor), or stop something there.`,
    ],
  },
  {
    name: "enough memory on another host where one runs already",
    settings: fleet,
    host: other({
      availableMiB: 3328,
      domains: [{ name: "kindows-x-win-2", running: true, networks: [] }],
      pools: [{ name: "kindows-x.b", path: "/var/lib/libvirt/images/kindows-x.b" }],
    }),
    problems: [],
  },
  {
    name: "another lab's pool and machine on another host",
    settings: fleet,
    host: other({
      pools: [{ name: "kindows-x.b", path: "/srv" }],
      domains: [{ name: "kindows-x-win-3", running: false, networks: [] }],
    }),
    problems: [
      "libvirt's pool kindows-x.b on b has the lab's name or folder there, kindows-x.b in /var/lib/libvirt/images/kindows-x.b, but not both. Rename or remove it, or write another kindows:lab.name.",
    ],
  },
  {
    name: "somebody's machine on another host where the lab has nothing",
    settings: fleet,
    host: other({ domains: [{ name: "kindows-x-win-3", running: false, networks: [] }] }),
    problems: [
      "libvirt's machine kindows-x-win-3 on b has the name of a node's, but the lab has nothing there yet. Rename or remove it, or write another kindows:lab.name.",
    ],
  },
  {
    name: "memory of this host for its own nodes only",
    settings: fleet,
    host: { ...other({}), memory: { availableMiB: 4351, totalMiB: 8000 } },
    problems: [
      "Memory of 4352 MiB is needed (machine win-1 3328, container kindows-x-control-plane 1024), 4351 of 8000 MiB are available. Have fewer nodes, write less for kindows:windows.memoryMiB, or stop something else.",
    ],
  },
];
