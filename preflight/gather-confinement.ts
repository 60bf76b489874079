import { readFile } from "node:fs/promises";
import path from "node:path";
import { runProgram } from "../host/run-program.ts";

/** What of the kernel keeps programs from files whose permissions would let them. */
export interface ConfinementFacts {
  /** Undefined where neither is on; SELinux that is permissive is not. */
  readonly by: "AppArmor" | "SELinux" | undefined;
  /** What it denied virtual machines since the host was started; undefined where its log is not for your eyes. */
  readonly denials: readonly Denial[] | undefined;
}

/** One file that was denied to a virtual machine's QEMU. */
export interface Denial {
  readonly by: "AppArmor" | "SELinux";
  /** AppArmor tells the whole path, SELinux often the last part only. */
  readonly file: string;
  /** What was to be done with it, as the log has it: `r`, `wr`; `read write`. */
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

/** Looks whether AppArmor or SELinux is on below `/sys`, and what it denied. */
export async function gatherConfinement(sys = "/sys"): Promise<ConfinementFacts> {
  const [appArmor, seLinux] = await Promise.all(
    ["module/apparmor/parameters/enabled", "fs/selinux/enforce"].map((file) =>
      readFile(path.join(sys, file), "utf8").catch(() => ""),
    ),
  );
  const by =
    seLinux?.trim() === "1" ? "SELinux" : appArmor?.trim() === "Y" ? "AppArmor" : undefined;
  if (by === undefined) {
    return { by, denials: [] };
  }
  const read = await Promise.all(
    logs.map(([program = "", ...args]) => runProgram(program, args, timeoutSeconds)),
  );
  const text = read.map(({ stdout }) => stdout).join("\n");
  return { by, denials: text.trim() === "" ? undefined : denialsIn(text) };
}

/** Denials in lines of the kernel's or the audit daemon's log, each file once; what was only reported is none. */
export function denialsIn(text: string): Denial[] {
  const found = text
    .split("\n")
    .flatMap((line) => appArmorDenial(line) ?? seLinuxDenial(line) ?? []);
  return [...new Map(found.map((denial) => [denial.file, denial])).values()];
}

/** libvirt gives each machine a profile of its own. */
function appArmorDenial(line: string): Denial | undefined {
  const [, file, wanted] =
    /\bapparmor="DENIED" .*\bprofile="libvirt-[-0-9a-f]{36}" name="([^"]+)".* denied_mask="(\w+)"/.exec(
      line,
    ) ?? [];
  return file === undefined || wanted === undefined ? undefined : { by: "AppArmor", file, wanted };
}

/** libvirt runs machines as svirt_t, emulated ones as svirt_tcg_t. */
function seLinuxDenial(line: string): Denial | undefined {
  const [, wanted, file] =
    /\bavc: +denied +\{ ([^}]+) \} .*\b(?:path|name)="?([^"\s]+)"? .*\bscontext=\S+:svirt\w*_t:/.exec(
      line,
    ) ?? [];
  return file === undefined || wanted === undefined || line.includes(" permissive=1")
    ? undefined
    : { by: "SELinux", file, wanted };
}
