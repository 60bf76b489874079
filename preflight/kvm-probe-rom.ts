/** Where a PC's processor looks for its first instruction: the last 16 bytes of the ROM. */
const resetVector = 0xfff0;
const descriptorTable = 0x80;
const romSize = 0x10000;

/** Port of QEMU's isa-debug-exit device: a byte written there ends QEMU with the exit code 2 * byte + 1. */
export const exitPort = 0xf4;

/** Exit code of QEMU when the ROM ran to its end. */
export const goodExitCode = 2 * 0x10 + 1;

/**
 * From real mode through protected mode into 64-bit mode with paging, and there a hundred million turns of a loop.
 *
 * Seen: a KVM that opens, runs the first instructions of a guest, and hangs it at its first interruption. So nothing
 * less than some 50 ms of 64-bit code proves that it can run an operating system.
 */
const code: readonly (readonly [hex: string, assembly: string])[] = [
  ["fa", "cli"],
  ["2e 66 0f 01 16 a0 00", "lgdtl %cs:0xa0"],
  ["0f 20 c0", "mov %cr0,%eax"],
  ["0c 01", "or $0x1,%al"],
  ["0f 22 c0", "mov %eax,%cr0"],
  ["66 ea 18 00 0f 00 08 00", "ljmpl $0x8,$0xf0018: protected mode"],
  ["66 b8 10 00", "mov $0x10,%ax"],
  ["8e d8", "mov %eax,%ds"],
  [
    "c7 05 00 10 00 00 03 20 00 00",
    "movl $0x2003,0x1000: page tables, the first 2 MiB as they are",
  ],
  ["c7 05 00 20 00 00 03 30 00 00", "movl $0x3003,0x2000"],
  ["c7 05 00 30 00 00 83 00 00 00", "movl $0x83,0x3000"],
  ["b8 00 10 00 00", "mov $0x1000,%eax"],
  ["0f 22 d8", "mov %eax,%cr3"],
  ["b8 20 00 00 00", "mov $0x20,%eax"],
  ["0f 22 e0", "mov %eax,%cr4: PAE"],
  ["b9 80 00 00 c0", "mov $0xc0000080,%ecx"],
  ["0f 32", "rdmsr"],
  ["80 cc 01", "or $0x1,%ah"],
  ["0f 30", "wrmsr: EFER.LME"],
  ["0f 20 c0", "mov %cr0,%eax"],
  ["0d 00 00 00 80", "or $0x80000000,%eax"],
  ["0f 22 c0", "mov %eax,%cr0: paging"],
  ["ea 6a 00 0f 00 18 00", "ljmp $0x18,$0xf006a: 64-bit mode"],
  ["b9 00 e1 f5 05", "mov $100000000,%ecx"],
  ["48 ff c9", "dec %rcx"],
  ["75 fb", "jne, back to dec"],
  ["b0 10", "mov $0x10,%al"],
  ["e6 f4", "out %al,$0xf4: ends QEMU"],
  ["f4", "hlt"],
  ["eb fd", "jmp, back to hlt"],
];

/** Code and data of 32 bits, code of 64 bits, and the pointer to the table. */
const descriptors: readonly string[] = [
  "00 00 00 00 00 00 00 00",
  "ff ff 00 00 00 9b cf 00",
  "ff ff 00 00 00 93 cf 00",
  "ff ff 00 00 00 9b af 00",
  "1f 00 80 00 0f 00",
];

/** A 64 KiB BIOS that only proves that the processor runs 64-bit code, and ends QEMU. */
export function kvmProbeRom(): Buffer {
  const rom = Buffer.alloc(romSize);
  bytes(code.map(([hex]) => hex)).copy(rom);
  bytes(descriptors).copy(rom, descriptorTable);
  bytes(["e9 0d 00"]).copy(rom, resetVector); // jmp to the first byte
  return rom;
}

function bytes(hex: readonly string[]): Buffer {
  return Buffer.from(hex.join("").replaceAll(" ", ""), "hex");
}
