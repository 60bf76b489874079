import { constants } from "node:fs";
import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import type { Settings } from "../config/settings.ts";
import { exitPort, goodExitCode, kvmProbeRom } from "./kvm-probe-rom.ts";

/** Whether KVM can be used: `hangs` when it opens and then does not run a guest; undefined when nobody asks for it. */
export type KvmFacts =
  "works" | "absent" | "denied" | "hangs" | { readonly error: string } | undefined;

const device = "/dev/kvm";
const emulator = "qemu-system-x86_64";

/** Far more than the tenth of a second it takes, as the host may be busy; far less than a boot that never ends. */
const timeoutSeconds = 5;

/** Looks whether KVM runs a guest: /dev/kvm alone proves nothing. */
export async function gatherKvm(
  domainType: Settings["hypervisor"]["domainType"],
): Promise<KvmFacts> {
  return domainType === "kvm" ? ((await deviceProblem()) ?? runProbeRom("kvm")) : undefined;
}

/** What can be told before QEMU is installed: whether /dev/kvm is there and may be opened; undefined where it may. */
export async function gatherKvmDevice(
  domainType: Settings["hypervisor"]["domainType"],
): Promise<KvmFacts> {
  return domainType === "kvm" ? deviceProblem() : undefined;
}

async function deviceProblem(): Promise<"absent" | "denied" | undefined> {
  try {
    await access(device, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "absent" : "denied";
  }
}

/** Runs the probe's ROM in a QEMU without anything else; `tcg` emulates, for tests where there is no KVM. */
export async function runProbeRom(accelerator: "kvm" | "tcg"): Promise<KvmFacts> {
  const folder = await mkdtemp(path.join(tmpdir(), "kindows-kvm-"));
  try {
    const rom = path.join(folder, "rom.bin");
    await writeFile(rom, kvmProbeRom());
    const result = await execa(
      emulator,
      [
        ...["-machine", "pc", "-accel", accelerator, "-m", "16"],
        ...["-nodefaults", "-display", "none", "-bios", rom],
        ...["-device", `isa-debug-exit,iobase=${exitPort},iosize=4`],
      ],
      { reject: false, timeout: timeoutSeconds * 1000, forceKillAfterDelay: 500, stdin: "ignore" },
    );
    if (result.timedOut) {
      return "hangs";
    }
    if (result.exitCode === goodExitCode) {
      return "works";
    }
    return {
      error: lastLine(result.stderr) ?? result.shortMessage ?? `ended with ${result.exitCode}`,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function lastLine(text: string): string | undefined {
  return text.trim().split("\n").at(-1) || undefined;
}
