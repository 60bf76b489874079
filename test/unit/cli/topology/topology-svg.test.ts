import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import type { Previewed } from "../../../../cli/preview-diff/previewed.ts";
import { kindOf } from "../../../../cli/topology/draw-order.ts";
import { groupsOf } from "../../../../cli/topology/groups.ts";
import { labOf } from "../../../../cli/topology/lab.ts";
import { topologySvg } from "../../../../cli/topology/topology-svg.ts";
import { element } from "../../../../cli/topology/shapes.ts";
import { recordedStack, type Sections } from "../../stacks/recorded-stack.ts";
import { type Box, type Point, boxesIn, waysIn } from "./drawn.ts";
import { readXml } from "./well-formed.ts";

interface Drawn {
  readonly title: string;
  readonly stack: string;
  readonly settings?: Sections;
  /** The picture as it was looked at and found good. */
  readonly file?: string;
}

const named = (...names: readonly string[]): readonly object[] => names.map((name) => ({ name }));
const manyNodes: Drawn = {
  title: "many nodes",
  stack: "dev",
  settings: {
    cluster: { controlPlanes: 3, workers: named("worker-1", "worker-2") },
    nodes: named("win-1", "win-2", "win-3", "win-10"),
  },
};
const drawn: readonly Drawn[] = [
  { title: "rehearsal", stack: "rehearsal", file: "docs/topology.svg" },
  { title: "dev", stack: "dev", file: "docs/topology-dev.svg" },
  manyNodes,
];

describe("the picture of a stack", () => {
  for (const { title, stack, settings = {}, file } of drawn) {
    describe(title, () => {
      let preview: Previewed;
      let svg: string;
      before(async () => {
        preview = await recordedStack(stack, { settings });
        svg = topologySvg(stack, preview);
      });

      if (file !== undefined) {
        it(`is ${file}, as it was looked at and found good`, async () => {
          const how = `${file} is old: make topology STACK=${stack} OUT=${file}, and look at it`;
          assert.equal(svg, await readFile(file, "utf8"), how);
        });
      }

      it("has every box beside or within each other one, with room between them", () => {
        const boxes = boxesIn(svg);
        assert.ok(boxes.filter(({ kind }) => kind === "thing").length > 10);
        const isWithin = (one: Box, other: Box): boolean =>
          one.left >= other.left &&
          one.right <= other.right &&
          one.top >= other.top &&
          one.bottom <= other.bottom;
        const isBefore = (one: Box, other: Box): boolean =>
          one.right + 16 <= other.left || one.bottom + 16 <= other.top;
        for (const [at, one] of boxes.entries()) {
          for (const other of boxes.slice(at + 1)) {
            assert.ok(
              isWithin(other, one) || isBefore(one, other) || isBefore(other, one),
              JSON.stringify([one, other]),
            );
          }
        }
      });

      it("has no arrow that leads through a box", () => {
        const things = boxesIn(svg).filter(({ kind }) => kind === "thing");
        const isIn = ({ x, y }: Point): boolean =>
          things.some((box) => x > box.left && x < box.right && y > box.top && y < box.bottom);
        const ways = waysIn(svg);
        assert.ok(ways.length > 10);
        for (const way of ways) assert.ok(!way.some(isIn), JSON.stringify(way));
      });

      it("is the same again", () =>
        assert.equal(topologySvg(stack, structuredClone(preview)), svg));

      it("is well-formed, and has words for who can't see it", () => {
        const { elements } = readXml(svg);
        assert.match(
          elements[0]?.attributes ?? "",
          /role="img" aria-labelledby="title description"/,
        );
        for (const id of ["title", "description"]) {
          assert.equal(elements.filter(({ attributes }) => attributes === ` id="${id}"`).length, 1);
        }
      });

      it("shows the segment, every Linux node, and every machine with its address and size", () => {
        const { texts } = readXml(svg);
        const { machines, workers, network, cluster } = labOf(preview);
        assert.ok(machines.length > 0);
        for (const { node: machine, address, cpus, memoryMiB } of machines) {
          assert.ok(texts.includes(machine), machine);
          assert.ok(texts.includes(address), `${machine}: ${address}`);
          assert.ok(texts.some((text) => text.startsWith(`${cpus} CPU, ${memoryMiB} MiB, `)));
        }
        assert.ok(texts.includes(`${network?.bridge ?? ""}, ${network?.cidr ?? ""}`));
        for (const each of [...(cluster?.controlPlanes ?? []), ...workers]) {
          assert.ok(
            texts.some((text) => text.startsWith(`container ${each}, `)),
            each,
          );
        }
      });

      it("names every resource and its kind", () => {
        const shown = readXml(svg).texts.join("\n");
        for (const { type, name: resource } of preview.resources) {
          const kind = kindOf(type);
          assert.ok(
            shown.includes(`${kind} ${resource}`) || shown.includes(`${kind} (${resource})`),
            `${kind} ${resource}`,
          );
          // Not only where nobody sees it: at the beginning of a line in a box, or in the last line.
          assert.match(shown, new RegExp(`^(Besides: .*)?${kind}[: (]`, "m"));
        }
      });

      it("has every resource of a component in one group, in an order without a circle", () => {
        const groups = groupsOf(preview);
        const inGroups = groups.flatMap(({ resources }) => resources.map(({ urn }) => urn));
        assert.equal(new Set(inGroups).size, inGroups.length);
        assert.deepEqual(
          preview.resources.map(({ urn }) => urn).filter((urn) => !inGroups.includes(urn)),
          preview.resources.map(({ urn }) => urn).filter((urn) => !urn.includes("$")),
        );
        const placed = new Set<string>();
        for (let left = [...groups]; left.length > 0;) {
          const next = left.filter(({ after }) => after.every((each) => placed.has(each)));
          assert.ok(next.length > 0, `a circle: ${left.map(({ title }) => title).join(", ")}`);
          for (const { title } of next) placed.add(title);
          left = left.filter((group) => !next.includes(group));
        }
      });
    });
  }

  it("says that a machine is prepared beside the cluster, and that its join waits for it", async () => {
    const preview = await recordedStack("rehearsal");
    const groups = groupsOf(preview);
    const after = Object.fromEntries(groups.map((group) => [group.title, group.after]));
    assert.deepEqual(after, {
      LabNetwork: [],
      KindCluster: ["LabNetwork"],
      KubeProxyWindows: ["KindCluster"],
      SshKey: [],
      MachineStorage: [],
      "LibvirtMachine win-1": ["LabNetwork", "MachineStorage", "SshKey"],
      "BootstrapToken win-1": ["KindCluster", "LibvirtMachine win-1"],
      "WindowsNode win-1": ["LibvirtMachine win-1"],
      "WindowsNode win-1 (2)": ["KindCluster", "WindowsNode win-1"],
      "WindowsNode win-1 (3)": ["BootstrapToken win-1", "WindowsNode win-1 (2)"],
      "KubeProxyWindows (2)": ["KubeProxyWindows", "WindowsNode win-1 (3)"],
    });
  });

  it("tells machines apart whose names begin alike", async () => {
    const preview = await recordedStack(manyNodes.stack, manyNodes);
    const groups = groupsOf(preview);
    for (const machine of ["win-1", "win-10"]) {
      const own = groups.filter((group) => group.machine === machine);
      assert.ok(own.length >= 4);
      for (const { resources } of own) {
        assert.ok(
          resources.every(({ name }) => name === machine || name.startsWith(`${machine}-`)),
        );
      }
    }
  });

  it("is one also of a stack with nothing in it", () =>
    readXml(topologySvg("t", { resources: [], components: [], diagnostics: [] })));

  it("shows addresses and names as they are, whatever is in them", () => {
    const written = element("g", { a: `"<&>'`, none: undefined }, `<script>&amp;\u0000"`).xml;
    assert.equal(written, `<g a="&quot;&lt;&amp;&gt;'">&lt;script&gt;&amp;amp;\uFFFD&quot;</g>`);
    assert.deepEqual(readXml(written).texts, [`<script>&amp;\uFFFD"`]);
  });
});
