import assert from "node:assert/strict";
import { runProbeRom } from "../../components/machine/libvirt/kvm.ts";

describe("KVM probe", () => {
  it("runs to its end on QEMU's emulator, which needs no KVM", async () =>
    assert.equal(await runProbeRom("tcg"), "works"));
});
