import assert from "node:assert/strict";
import { parse } from "yaml";
import { newSections, type NewStack } from "../../../cli/init/new-stack.ts";
import { firstSentence, stackFile } from "../../../cli/init/stack-file.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import type { Settings } from "../../../config/settings.ts";
import { stackSections } from "../../../config/stack-sections.ts";
import { someHostKey } from "../../../config/values/host-key.ts";
import { assertGolden } from "../controlplane/golden.ts";

const usual: NewStack = {
  image: "evaluation-iso",
  windowsVersion: "2022",
  nodes: 1,
  machines: [],
  workers: 0,
  controlPlanes: 1,
  cni: "calico",
  cidr: "192.168.190.0/24",
};

const own = { name: "win-1", address: "192.168.122.20", hostKey: someHostKey(0) };

/** What the checked settings of a new stack say, by what was asked for. */
const stacks: readonly {
  readonly wanted: Partial<NewStack>;
  readonly says: (settings: Settings) => unknown;
  readonly is: unknown;
}[] = [
  { wanted: {}, says: ({ windows }) => windows.image.kind, is: "evaluation-iso" },
  { wanted: { image: "/srv/w.iso" }, says: ({ windows }) => windows.image.kind, is: "iso" },
  { wanted: { image: "/srv/W.ISO" }, says: ({ windows }) => windows.image.kind, is: "iso" },
  { wanted: { image: "/srv/w.vhdx" }, says: ({ windows }) => windows.image.kind, is: "disk" },
  {
    wanted: { image: "rehearsal", nodes: 2 },
    says: ({ hypervisor, nodes }) => [hypervisor.domainType, nodes.map(({ name }) => name)],
    is: ["qemu", ["win-1", "win-2"]],
  },
  {
    wanted: { windowsVersion: "2025", cni: "flannel" },
    says: ({ windows }) => windows.version,
    is: "2025",
  },
  {
    wanted: { workers: 2, controlPlanes: 3 },
    says: ({ cluster: { workers, controlPlanes } }) => [workers.length, controlPlanes],
    is: [2, 3],
  },
  {
    wanted: { machines: [own], nodes: 0, key: "/home/me/key", libvirtNetwork: "default" },
    says: ({ ownNodes, nodes, network }) => [
      ownNodes.map(({ address }) => address),
      nodes.length,
      network.libvirtNetwork,
    ],
    is: [["192.168.122.20"], 0, "default"],
  },
  {
    wanted: {
      machines: [{ ...own, name: "win-2", address: "192.168.190.20" }],
      nodes: 2,
      key: "/k",
    },
    says: ({ ownNodes, nodes }) => [...ownNodes, ...nodes].map(({ name }) => name),
    is: ["win-2", "win-1", "win-3"],
  },
  {
    wanted: { nodes: 0 },
    says: ({ nodes, network }) => [nodes.length, network.cidr],
    is: [0, "192.168.190.0/24"],
  },
];

describe("kindows init", () => {
  for (const { wanted, says, is } of stacks) {
    it(`writes settings that are right: ${JSON.stringify(wanted)}`, () => {
      const text = stackFile("mine", newSections({ ...usual, ...wanted }));
      const { config } = parse(text) as { config: Record<string, unknown> };
      const { sections, others } = stackSections(config, "Pulumi.mine.yaml");
      const source = { stack: "mine", file: "Pulumi.mine.yaml" };
      assert.deepEqual(says(resolveSettings(sections, source, others)), is);
    });
  }

  it("writes a comment above each setting", () => {
    const text = stackFile(
      "mine",
      newSections({ ...usual, nodes: 0, machines: [own], workers: 1 }),
    );
    assertGolden(new URL(".", import.meta.url), "init.txt", text);
  });

  for (const [text, first] of [
    ["Name, e.g. `a`. More.", "Name, e.g. a."],
    ["Version 1.36.4 of it. More.", "Version 1.36.4 of it."],
    ["One sentence.", "One sentence."],
    ["No full stop", "No full stop"],
  ] as const) {
    it(`takes the first sentence of a description: ${text}`, () =>
      assert.equal(firstSentence(text), first));
  }
});
