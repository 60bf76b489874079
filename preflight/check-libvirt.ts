import { installText, joinCommand, startCommand } from "../toolchain/host-packages.ts";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

/** libvirt is there, and its QEMU runs machines of the type asked for. */
export function checkLibvirt(
  { hypervisor }: Settings,
  { libvirt, packageManager }: HostFacts,
): HostProblem[] {
  if (!libvirt.reachable) {
    return [
      {
        subject: `libvirt (${hypervisor.uri})`,
        why: `can't be reached: ${libvirt.error}`,
        instead: `Run \`make up\` as root, which installs and starts what is missing, or do so yourself: ${installText(packageManager, ["libvirt-daemon-system", "libvirt-clients", "qemu-system-x86"])}; ${startCommand("libvirt", packageManager)}. Who is not root has to be in its group: ${joinCommand("libvirt")}, then log in again.`,
      },
    ];
  }
  return libvirt.emulatorError === undefined
    ? []
    : [
        {
          subject: `libvirt (${hypervisor.uri})`,
          why: `can't run machines of kindows:hypervisor.domainType "${hypervisor.domainType}": ${libvirt.emulatorError}`,
          instead:
            hypervisor.domainType === "kvm"
              ? 'Make KVM work (see /dev/kvm), or, for a rehearsal, write "qemu".'
              : `Install QEMU: ${installText(packageManager, ["qemu-system-x86"])}.`,
        },
      ];
}
