import { readFile } from "node:fs/promises";
import path from "node:path";
import { runProgram } from "../../../host/run-program.ts";
import { domainName, labNames } from "../../../config/names.ts";
import type { HostProblem, Gathered } from "../../../config/host-problem.ts";
import type { LabSection } from "../../../config/sections/lab.ts";
import { type MadeNodes, machineNodes } from "../../../config/sections/nodes.ts";
import type { LibvirtDomain } from "./libvirt-facts.ts";

/** The security module that may deny programs access to files despite their permissions. */
export interface ConfinementFacts {
  /** Undefined if neither is on; permissive SELinux does not count. */
  readonly by: "AppArmor" | "SELinux" | undefined;
  /** Accesses denied to virtual machines since the host was started; undefined if this user may not read the log. */
  readonly denials: readonly Denial[] | undefined;
}

interface Denial {
  readonly by: "AppArmor" | "SELinux";
  /** AppArmor logs the whole path, SELinux often only its last part. */
  readonly file: string;
  /** The denied access as in the log: `r`, `wr`; `read write`. */
  readonly wanted: string;
}

const timeoutSeconds = 10;

/** Where denials are logged: the journal; the kernel's own buffer; the audit daemon's file, for root. */
const logs = [
  ["journalctl", "--boot", "--quiet", "--no-pager", "--output=cat", "--lines=20000"].concat(
    ...["_TRANSPORT=kernel", "+", "_TRANSPORT=audit"],
  ),
  ["dmesg"],
  ["tail", "--lines=20000", "/var/log/audit/audit.log"],
];

export async function gatherConfinement(sys = "/sys"): Promise<ConfinementFacts> {
  const [appArmor, seLinux] = await Promise.all(
    ["module/apparmor/parameters/enabled", "fs/selinux/enforce"].map((file) =>
      readFile(path.join(sys, file), "utf8").catch(() => ""),
    ),
  );
  const by =
    seLinux?.trim() === "1" ? "SELinux" : appArmor?.trim() === "Y" ? "AppArmor" : undefined;
  if (by === undefined) return { by, denials: [] };
  const read = await Promise.all(
    logs.map(([program = "", ...args]) => runProgram(program, args, timeoutSeconds)),
  );
  const text = read.map(({ stdout }) => stdout).join("\n");
  return { by, denials: text.trim() === "" ? undefined : denialsIn(text) };
}

/** Denials in the kernel's or the audit daemon's log, one for each file, without those that were only reported. */
export function denialsIn(text: string): Denial[] {
  const found = text
    .split("\n")
    .flatMap((line) => denialIn(line, "AppArmor") ?? denialIn(line, "SELinux") ?? []);
  return [...new Map(found.map((denial) => [denial.file, denial])).values()];
}

/**
 * libvirt gives each machine an AppArmor profile of its own; for SELinux it is svirt_t, and svirt_tcg_t if emulated.
 */
const patterns = {
  AppArmor:
    /\bapparmor="DENIED" .*\bprofile="libvirt-[-0-9a-f]{36}" name="(?<file>[^"]+)".* denied_mask="(?<wanted>\w+)"/,
  SELinux:
    /\bavc: +denied +\{ (?<wanted>[^}]+) \} .*\b(?:path|name)="?(?<file>[^"\s]+)"? .*\bscontext=\S+:svirt\w*_t:(?!.* permissive=1)/,
};

function denialIn(line: string, by: Denial["by"]): Denial | undefined {
  const { file, wanted } = patterns[by].exec(line)?.groups ?? {};
  return file === undefined || wanted === undefined ? undefined : { by, file, wanted };
}

/**
 * Finds files of the lab's machines to which AppArmor or SELinux denied access. Other files are ignored, because
 * machines do without them, e.g. most of /sys.
 *
 * The log does not show whether a denial has been remedied. If all of the lab's machines run, it has. Otherwise it is
 * only a reason to warn, not to stop.
 */
export function checkConfinement(
  settings: LabSection & MadeNodes,
  {
    confinement,
    libvirt,
  }: {
    readonly confinement: ConfinementFacts;
    readonly libvirt: Gathered<{
      readonly domains: readonly Pick<LibvirtDomain, "name" | "running">[];
    }>;
  },
): HostProblem[] {
  const running = new Set(
    libvirt.reachable ? libvirt.domains.flatMap((one) => (one.running ? one.name : [])) : [],
  );
  const lab = settings.lab.name;
  const machines = machineNodes(settings)
    .filter(({ hypervisor }) => hypervisor === "local")
    .map(({ name }) => domainName(lab, name));
  if (machines.every((name) => running.has(name))) return [];
  const own = new Set([labNames(lab).prefix, ...machines]);
  return (confinement.denials ?? [])
    .filter(({ file }) => own.has(path.basename(file).replace(fileEnding, "")))
    .map((denial) => ({
      subject: denial.file,
      why: `was denied to a virtual machine by ${denial.by} (${denial.wanted}), which the machine shows as "Permission denied"`,
      instead: remedies[denial.by](denial),
    }));
}

/**
 * What follows the name of the lab or of a machine in the names of their files. Another lab's name may begin with this
 * lab's.
 */
const fileEnding = /(-(linux-)?[0-9a-f]{12})?\.qcow2$|-identity\.iso$|_VARS\.fd$/;

const remedies: Readonly<Record<Denial["by"], (denial: Denial) => string>> = {
  AppArmor: ({ file, wanted }) =>
    `Leave AppArmor on and allow this one file: \`echo '"${file}" ${/[wac]/.test(wanted) ? "rwk" : "rk"},' | sudo tee -a /etc/apparmor.d/local/abstractions/libvirt-qemu\`. The machine's profile is regenerated when it starts: run \`make up\` again.`,
  SELinux: () =>
    "Leave SELinux on and give the disks' folder its label: `sudo restorecon -RFv $(realpath /var/lib/libvirt/images)`; where that leads elsewhere, before it `sudo semanage fcontext -a -e /var/lib/libvirt/images <that folder>`. libvirt labels each disk when its machine starts: run `make up` again.",
};
