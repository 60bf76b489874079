import path from "node:path";
import { machineNodes, type Settings } from "../config/settings.ts";
import { domainName, labNames } from "../config/names.ts";
import type { HostProblem } from "../config/host-problem.ts";
import type { HostFacts } from "./host-facts.ts";
import type { Denial } from "./gather-confinement.ts";

/**
 * Files of the lab's machines that AppArmor or SELinux denied them. What a machine opens besides, as most of /sys, it
 * does without.
 *
 * The log tells of the past, and nobody notes there that a denial was remedied: while all of the lab's machines run it
 * was, and otherwise it is for telling, not for refusing to go on.
 */
export function checkConfinement(
  settings: Pick<Settings, "lab" | "nodes" | "linuxNodes">,
  { confinement, libvirt }: Pick<HostFacts, "confinement" | "libvirt">,
): HostProblem[] {
  const running = new Set(
    libvirt.reachable ? libvirt.domains.flatMap((one) => (one.running ? one.name : [])) : [],
  );
  const lab = settings.lab.name;
  const machines = machineNodes(settings).filter(({ hypervisor }) => hypervisor === "local");
  const allRun = machines.every(({ name }) => running.has(domainName(lab, name)));
  const { prefix } = labNames(lab);
  return allRun
    ? []
    : (confinement.denials ?? [])
        .filter(({ file }) => `${path.basename(file)}-`.startsWith(`${prefix}-`))
        .map((denial) => ({
          subject: denial.file,
          why: `was denied to a virtual machine by ${denial.by} (${denial.wanted}), which the machine shows as "Permission denied"`,
          instead: remedies[denial.by](denial, prefix),
        }));
}

const remedies: Readonly<Record<Denial["by"], (denial: Denial, prefix: string) => string>> = {
  AppArmor: ({ file, wanted }) =>
    `Leave AppArmor on and allow this one file: \`echo '"${file}" ${/[wac]/.test(wanted) ? "rwk" : "rk"},' | sudo tee -a /etc/apparmor.d/local/abstractions/libvirt-qemu\`. The machine's profile is regenerated when it starts: run \`make up\` again.`,
  SELinux: () =>
    "Leave SELinux on and give the disks' folder its label: `sudo restorecon -RFv $(realpath /var/lib/libvirt/images)`; where that leads elsewhere, before it `sudo semanage fcontext -a -e /var/lib/libvirt/images <that folder>`. libvirt labels each disk when its machine starts: run `make up` again.",
};
