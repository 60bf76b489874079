import { constants } from "node:fs";
import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runProgram } from "../../../host/run-program.ts";
import type { HostProblem, Gathered } from "../../../config/host-problem.ts";
import type { LibvirtFacts } from "./libvirt-facts.ts";
import type { ThisHypervisor } from "./settings.ts";

/**
 * Whether KVM can be used. `hangs`: it can be opened but does not run a guest. Undefined if the settings do not use it.
 */
export type KvmFacts =
  "works" | "absent" | "denied" | "hangs" | { readonly error: string } | undefined;

const device = "/dev/kvm";
const emulator = "qemu-system-x86_64";

/** Far more than the tenth of a second that the probe takes, because the host may be busy. */
const timeoutSeconds = 5;

type DomainType = ThisHypervisor["domainType"];

/** Checks whether KVM runs a guest, because the existence of /dev/kvm proves nothing. */
export async function gatherKvm(domainType: DomainType): Promise<KvmFacts> {
  if (domainType !== "kvm") return undefined;
  return (await gatherKvmDevice(domainType)) ?? runProbeRom("kvm");
}

/** Checks, without QEMU, whether /dev/kvm exists and can be opened; undefined if it can. */
export async function gatherKvmDevice(domainType: DomainType): Promise<KvmFacts> {
  if (domainType !== "kvm") return undefined;
  try {
    await access(device, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "absent" : "denied";
  }
}

/** Runs the probe's ROM in a minimal QEMU; `tcg` emulates, for tests on hosts without KVM. */
export async function runProbeRom(accelerator: "kvm" | "tcg"): Promise<KvmFacts> {
  const folder = await mkdtemp(path.join(tmpdir(), "kindows-kvm-"));
  try {
    const rom = path.join(folder, "rom.bin");
    await writeFile(rom, kvmProbeRom());
    const { how, exitCode, reason } = await runProgram(
      emulator,
      [
        ...["-machine", "pc", "-accel", accelerator, "-m", "16"],
        ...["-nodefaults", "-display", "none", "-bios", rom],
        ...["-device", `isa-debug-exit,iobase=${exitPort},iosize=4`],
      ],
      timeoutSeconds,
    );
    if (how === "late") return "hangs";
    if (exitCode === goodExitCode) return "works";
    return { error: reason.split("\n").at(-1) ?? reason };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const otherwise = 'or, for a rehearsal, write kindows:hypervisor.domainType "qemu"';

/**
 * A user who can't open the device can still use libvirt, whose QEMU opens it; only building images needs it directly.
 */
export function checkKvm(
  { hypervisor }: { readonly hypervisor: Pick<ThisHypervisor, "domainType"> },
  { kvm, libvirt }: { readonly kvm: KvmFacts; readonly libvirt?: Gathered<LibvirtFacts> },
): HostProblem[] {
  const subject = device;
  if (kvm === "denied" && libvirt?.reachable === true && libvirt.emulatorError === undefined) {
    return [];
  }
  if (hypervisor.domainType !== "kvm" || kvm === undefined || kvm === "works") return [];
  if (typeof kvm === "object") {
    const why = `opens, but QEMU can't use it: ${kvm.error}`;
    return [{ subject, why, instead: `Make QEMU work with it; ${otherwise}.` }];
  }
  const [why, instead] = complaints[kvm];
  return [{ subject, why, instead: `${instead}; ${otherwise}.` }];
}

const complaints = {
  absent: [
    'does not exist, and kindows:hypervisor.domainType is "kvm"',
    "Turn on virtualization in the firmware, or nested virtualization if this host is a virtual machine, and load kvm_intel or kvm_amd",
  ],
  denied: [
    "can't be opened by this user",
    "Join its group (usermod -aG kvm $USER, then log in again)",
  ],
  hangs: [
    "opens, but a guest hangs as soon as it runs, as happens if this host is itself a virtual machine without proper nested virtualization",
    "Use another host",
  ],
} as const;

/** Where a PC's processor looks for its first instruction: the last 16 bytes of the ROM. */
const resetVector = 0xfff0;
const descriptorTable = 0x80;
const romSize = 0x10000;

/** Port of QEMU's isa-debug-exit device: a byte written there ends QEMU with the exit code 2 * byte + 1. */
const exitPort = 0xf4;

const goodExitCode = 2 * 0x10 + 1;

/**
 * Switches from real mode through protected mode into 64-bit mode with paging, and runs a loop a hundred million times.
 *
 * Some hosts have been seen whose KVM runs the first instructions of a guest and hangs at the first interrupt. So only
 * about 50 ms of 64-bit code prove that it can run an operating system.
 */
const code = [
  "fa 2e 66 0f 01 16 a0 00", // cli; lgdtl %cs:0xa0
  "0f 20 c0 0c 01 0f 22 c0", // cr0 |= 1
  "66 ea 18 00 0f 00 08 00", // ljmpl $0x8,$0xf0018: protected mode
  "66 b8 10 00 8e d8", // ds = 0x10
  "c7 05 00 10 00 00 03 20 00 00", // movl $0x2003,0x1000: page tables, the first 2 MiB as they are
  "c7 05 00 20 00 00 03 30 00 00", // movl $0x3003,0x2000
  "c7 05 00 30 00 00 83 00 00 00", // movl $0x83,0x3000
  "b8 00 10 00 00 0f 22 d8", // cr3 = 0x1000
  "b8 20 00 00 00 0f 22 e0", // cr4 = 0x20: PAE
  "b9 80 00 00 c0 0f 32 80 cc 01 0f 30", // EFER |= 0x100: LME
  "0f 20 c0 0d 00 00 00 80 0f 22 c0", // cr0 |= 0x80000000: paging
  "ea 6a 00 0f 00 18 00", // ljmp $0x18,$0xf006a: 64-bit mode
  "b9 00 e1 f5 05 48 ff c9 75 fb", // mov $100000000,%ecx; dec %rcx; jne, back to dec
  "b0 10 e6 f4 f4 eb fd", // out $0x10,$0xf4: ends QEMU; hlt; jmp, back to hlt
];

/** Code and data of 32 bits, code of 64 bits, and the pointer to the table. */
const descriptors = [
  "00 00 00 00 00 00 00 00",
  "ff ff 00 00 00 9b cf 00",
  "ff ff 00 00 00 93 cf 00",
  "ff ff 00 00 00 9b af 00",
  "1f 00 80 00 0f 00",
];

/** A 64 KiB BIOS that only proves that the processor runs 64-bit code, and ends QEMU. */
function kvmProbeRom(): Buffer {
  const rom = Buffer.alloc(romSize);
  bytes(code).copy(rom);
  bytes(descriptors).copy(rom, descriptorTable);
  bytes(["e9 0d 00"]).copy(rom, resetVector); // jmp to the first byte
  return rom;
}

function bytes(hex: readonly string[]): Buffer {
  return Buffer.from(hex.join("").replaceAll(" ", ""), "hex");
}
