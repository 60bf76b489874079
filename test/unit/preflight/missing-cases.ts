import { docker, goodHost, libvirt } from "./good-host.ts";
import { rehearsal, windows } from "./host-case.ts";
import type { HostCase } from "./host-case.ts";

/** What a host may lack. */
export const missingCases: readonly HostCase[] = [
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
    host: { libvirt: { reachable: true, ...libvirt, emulatorError: "no emulator found" } },
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
      'kindows:windows.image.path: "/srv/win.qcow2" is not there. Write the path of a qcow2, VHD or VHDX image you may read.',
    ],
  },
  {
    name: "a disk in another format",
    settings: windows,
    host: { image: "no disk" },
    problems: [
      'kindows:windows.image.path: "/srv/win.qcow2" is neither a qcow2 image nor VHD or VHDX. Convert it: qemu-img convert -O qcow2 OLD NEW.',
    ],
  },
  {
    name: "a VHD that was not converted",
    settings: windows,
    host: { image: "not converted" },
    problems: [
      'kindows:windows.image.path: "/srv/win.qcow2" is not converted yet. Run `./kindows prepare --stack <name>`.',
    ],
  },
  {
    name: "a rehearsal image that was not built",
    settings: rehearsal,
    host: { image: "missing" },
    problems: ["The rehearsal image is not built yet. Run `./kindows prepare --stack <name>`."],
  },
  {
    name: "programs whose checksums nobody knows, and one that is not fetched",
    settings: windows,
    host: {
      programs: { unpinned: ["kubelet.exe", "kubeadm.exe"], missing: ["kube-log-runner.exe"] },
    },
    problems: [
      "The checksum of kubelet.exe, kubeadm.exe is not known, and nothing is installed without one. Run `./kindows fetch --stack <name>`, which takes those their publishers give, or write them into kindows:windows.checksums.",
      "The Windows program kube-log-runner.exe is not in this host's cache. Run `./kindows fetch --stack <name>`.",
    ],
  },
  {
    name: "an ISO of one's own, of which no image was made yet",
    settings:
      "{ windows: { image: { kind: iso, path: /srv/windows.iso } }, cni: { kind: kind-default } }",
    host: { image: "missing" },
    problems: ["The Windows image is not built yet. Run `./kindows image build --stack <name>`."],
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
      "The rehearsal image is not built yet. Run `./kindows prepare --stack <name>`.",
    ],
  },
];
