import type { Complaint } from "../problem.ts";

/** The system instance of libvirt's QEMU driver on this host; other hosts can't share a bridge with its Docker. */
export function hypervisorUri(value: string): Complaint | undefined {
  if (value === "qemu:///system") {
    return undefined;
  }
  const instead = "Write qemu:///system.";
  if (/^qemu:\/\/\/session/.test(value)) {
    return { why: "is libvirt's user instance, which may not make bridges", instead };
  }
  if (/^qemu(\+\w+)?:\/\/[^/]/.test(value)) {
    return {
      why: "is another host's libvirt, whose bridge kind's containers here could not be on",
      instead: `${instead} Hypervisors of other hosts are listed under kindows:hypervisors (docs/fleet.md).`,
    };
  }
  return { why: "is not a libvirt address this program can work with", instead };
}
