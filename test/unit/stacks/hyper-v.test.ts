import assert from "node:assert/strict";

import type { PreviewedResource, Previewed } from "../../../cli/preview-diff/previewed.ts";
import { recordedStack } from "./recorded-stack.ts";

const hyperVHosts = [
  {
    ...{ name: "rack-7", address: "rack-7.example.test", switch: "Lab", generation: 2 },
    hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB",
    privateKeyFile: "/etc/kindows/rack-7",
    ...{ folder: "D:\\kindows", image: "D:\\images\\windows-2022.vhdx" },
  },
];

describe("a lab with a machine on Hyper-V", () => {
  let preview: Previewed;
  before(async () => {
    const settings = {
      windows: { image: { kind: "disk", path: "/srv/windows-server-2022.qcow2" } },
      hyperVHosts,
      nodes: [
        { name: "win-1", hypervisor: "local" },
        { name: "win-2", hypervisor: "rack-7" },
      ],
    };
    preview = await recordedStack("dev", { settings });
  });

  const found = (type: string, name: string): PreviewedResource =>
    preview.resources.find((one) => one.type === type && one.name === name) ??
    assert.fail(`no ${type} ${name}`);
  const ofType = (type: string): string[] =>
    preview.resources
      .filter((one) => one.type === type)
      .map(({ name }) => name)
      .sort();

  it("fails nowhere, though the host does not exist", () => {
    const errors = preview.diagnostics.filter(({ severity }) => severity === "error");
    assert.deepEqual(errors, []);
  });

  it("makes the one on libvirt, and the other by its action on the host", () => {
    assert.deepEqual(ofType("libvirt:index/domain:Domain"), ["win-1"]);
    const machine = found("command:local:Command", "win-2");
    for (const needed of ["hyper-v-rack-7", "win-2-reservation"]) {
      assert.ok(
        machine.dependencies.some((urn) => urn.endsWith(`::${needed}`)),
        needed,
      );
    }
  });

  it("puts the same node on it as on any other machine, and all of it goes with it", () => {
    const steps = (node: string): string[] =>
      preview.resources
        .filter(({ type, name }) => type.startsWith("command:remote:") && name.startsWith(node))
        .map(({ name }) => name.replace(node, ""))
        .sort();
    assert.ok(steps("win-1").includes("-join-node"));
    assert.deepEqual(steps("win-2"), steps("win-1"));
    const { urn } = found("command:local:Command", "win-2");
    assert.equal(found("command:remote:Command", "win-2-join-node").deletedWith, urn);
  });
});
