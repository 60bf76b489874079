import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { BuilderMachine } from "../../../../components/windows/image/builder/builder-machine.ts";
import { qemuArguments } from "../../../../components/windows/image/builder/qemu-command.ts";

const bios: BuilderMachine = { accelerator: "kvm", cpus: 4, memoryMiB: 4096, uefi: undefined };
const files = {
  folder: "/cache/private",
  disk: "/cache/a,b/windows.qcow2",
  discs: ["/media/windows server.iso", "/cache/private/config.iso"],
};

const cases: readonly (readonly [name: string, machine: BuilderMachine])[] = [
  ["bios-kvm", bios],
  ["bios-emulated", { ...bios, accelerator: "tcg", cpus: 1, memoryMiB: 512 }],
  ["uefi-kvm", { ...bios, uefi: { code: "/ovmf/code.fd", variables: "/ovmf/vars.fd" } }],
];

describe("QEMU's arguments for the machine an image is made on", () => {
  for (const [name, machine] of cases) {
    it(name, () => {
      const golden = path.join(import.meta.dirname, "golden", `${name}.txt`);
      const lines = qemuArguments(machine, files)
        .join("\n")
        .replaceAll(/\n(?!-[a-z])/gi, " ");
      assert.equal(`${lines}\n`, readFileSync(golden, "utf8"));
    });
  }

  it("has Windows tell of a blue screen, and stays on for a picture of it", () => {
    assert.match(
      qemuArguments(bios, files).join(" "),
      /-action panic=pause .*-cpu host,[^ ]*hv_crash/,
    );
  });

  it("has the disk before Windows' disc, and nobody's network", () => {
    const all = qemuArguments(bios, files).join(" ");
    assert.match(
      all,
      /virtio-blk-pci-non-transitional,drive=disk,bootindex=1,.* ide-cd,drive=disc0,bus=ide.0,bootindex=2/,
    );
    assert.match(all, /restrict=on/);
    assert.doesNotMatch(all, /hostfwd=tcp:(?!127\.0\.0\.1:)/);
  });
});
