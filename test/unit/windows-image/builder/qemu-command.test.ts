import assert from "node:assert/strict";
import type { BuilderMachine } from "../../../../components/windows/image/builder/builder-machine.ts";
import { qemuArguments } from "../../../../components/windows/image/builder/qemu-command.ts";
import { assertGolden } from "../../controlplane/golden.ts";

const bios: BuilderMachine = { accelerator: "kvm", cpus: 4, memoryMiB: 4096, uefi: undefined };

/** Arguments of QEMU, each option on a line. */
function linesFor(machine: BuilderMachine): string {
  const files = {
    folder: "/cache/private",
    disk: "/cache/a,b/windows.qcow2",
    discs: ["/media/windows server.iso", "/cache/private/config.iso"],
  };
  const lines = qemuArguments(machine, files).join("\n");
  return `${lines.replaceAll(/\n(?!-[a-z])/gi, " ")}\n`;
}

describe("QEMU's arguments for the machine an image is made on", () => {
  it("are as reviewed: a blue screen is reported and stays, the disk comes first, nobody's network", () =>
    assertGolden(new URL("./", import.meta.url), "bios-kvm.txt", linesFor(bios)));

  it("are with emulation the same, but for the processor", () =>
    assert.equal(
      linesFor({ ...bios, accelerator: "tcg", cpus: 1, memoryMiB: 512 }),
      linesFor(bios)
        .replace("accel=kvm", "accel=tcg")
        .replace(/-cpu .*/, "-cpu max")
        .replace("-smp 4\n-m 4096M", "-smp 1\n-m 512M"),
    ));

  it("are with UEFI the same, but for its program and a copy of its settings", () => {
    const flash = [
      '{"driver":"file","node-name":"uefi-code","filename":"/ovmf/code.fd","read-only":true}',
      '{"driver":"file","node-name":"uefi-variables","filename":"uefi-variables.fd"}',
    ];
    assert.equal(
      linesFor({ ...bios, uefi: { code: "/ovmf/code.fd", variables: "/ovmf/vars.fd" } }),
      linesFor(bios)
        .replace("hpet=off", "hpet=off,pflash0=uefi-code,pflash1=uefi-variables")
        .replace(
          "-blockdev",
          [...flash, ""]
            .map((each) => `-blockdev ${each}`)
            .join("\n")
            .trimEnd(),
        ),
    );
  });
});
