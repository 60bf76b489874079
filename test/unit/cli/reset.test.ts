import assert from "node:assert/strict";
import { diskOf } from "../../../cli/commands/reset.ts";
import { Failure } from "../../../host/failure.ts";
import { libvirtMachine, resource } from "./state-builder.ts";

const volume = "libvirt:index/volume:Volume";
const machines = ["win-1", "win-2"].map((node) => libvirtMachine(node));
const disks = machines.map(({ urn: parent }, at) => resource(volume, `win-${at + 1}`, { parent }));
const image = resource(volume, "machines-image", { parent: "urn:of-the-storage" });
const state = [image, ...machines, ...disks];

describe("the disk of a machine that is reset", () => {
  it("is the machine's own, and no image", () =>
    assert.equal(diskOf("win-2", state, "t"), disks[1]?.urn));

  it("is none of a node that the lab made no machine for", () => {
    const isNamed = (error: unknown): boolean =>
      error instanceof Failure && /^win-9 .*win-1, win-2$/.test(error.message);
    assert.throws(() => diskOf("win-9", state, "t"), isNamed);
    assert.throws(() => diskOf("win-1", [image], "t"), /kindows up --stack t/);
  });
});
