import type { HostFacts } from "../../preflight/host-facts.ts";

/** One thing of the host that a lab uses. */
export interface Present {
  readonly what: string;
  readonly detail: string;
}

/** What this host has, in words. */
export function presentOn(facts: HostFacts, nodeVersion: string): readonly Present[] {
  const { docker, libvirt, kvm, confinement, memory, disks } = facts;
  return [
    { what: "Node.js", detail: nodeVersion },
    { what: "Docker", detail: docker.reachable ? docker.version : `no answer: ${docker.error}` },
    {
      what: "libvirt",
      detail: libvirt.reachable ? libvirt.version : `no answer: ${libvirt.error}`,
    },
    { what: "/dev/kvm", detail: kvmText(kvm) },
    { what: "confinement", detail: confinementText(confinement) },
    {
      what: "memory",
      detail: `${memory.availableMiB} MiB available of ${memory.totalMiB} MiB`,
    },
    { what: "disk", detail: `${Math.floor(disks.pool.freeGiB)} GiB free at ${disks.pool.folder}` },
  ];
}

function confinementText({ by, denials }: HostFacts["confinement"]): string {
  if (by === undefined) {
    return "none";
  }
  return denials === undefined
    ? `${by}; what it denied only root and the group adm or systemd-journal may see`
    : by;
}

function kvmText(kvm: HostFacts["kvm"]): string {
  if (kvm === undefined) {
    return "not asked for: machines are emulated";
  }
  return typeof kvm === "string" ? kvm : `does not work: ${kvm.error}`;
}
