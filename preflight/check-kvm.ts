import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

const otherwise = 'or, for a rehearsal, write kindows:hypervisor.domainType "qemu"';

/**
 * KVM runs guests, where the settings want it. Who may not open it has libvirt's QEMU do so, and needs it for nothing else
 * than making images.
 */
export function checkKvm(
  { hypervisor }: Pick<Settings, "hypervisor">,
  { kvm, libvirt }: Pick<HostFacts, "kvm"> & Partial<Pick<HostFacts, "libvirt">>,
): HostProblem[] {
  if (kvm === "denied" && libvirt?.reachable === true && libvirt.emulatorError === undefined) {
    return [];
  }
  const complaint = hypervisor.domainType === "kvm" ? complaintOf(kvm) : undefined;
  return complaint === undefined ? [] : [{ subject: "/dev/kvm", ...complaint }];
}

function complaintOf(kvm: HostFacts["kvm"]): { why: string; instead: string } | undefined {
  if (kvm === undefined || kvm === "works") {
    return undefined;
  }
  if (kvm === "absent") {
    return {
      why: 'does not exist, and kindows:hypervisor.domainType is "kvm"',
      instead: `Turn on virtualization in the firmware, or nested virtualization where this host is a virtual machine, and load kvm_intel or kvm_amd; ${otherwise}.`,
    };
  }
  if (kvm === "denied") {
    return {
      why: "may not be opened by you",
      instead: `Join its group (usermod -aG kvm $USER, then log in again); ${otherwise}.`,
    };
  }
  if (kvm === "hangs") {
    return {
      why: "opens, but a guest hangs as soon as it runs, as happens where this host is itself a virtual machine without proper nested virtualization",
      instead: `Use another host; ${otherwise}.`,
    };
  }
  return {
    why: `opens, but QEMU can't use it: ${kvm.error}`,
    instead: `Make QEMU work with it; ${otherwise}.`,
  };
}
