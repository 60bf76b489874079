import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { XMLValidator } from "fast-xml-parser";

import type { Previewed } from "../../../cli/preview-diff/previewed.ts";
import { groupsOf } from "../../../cli/topology/groups.ts";
import { kindOf, labOf, topologySvg } from "../../../cli/topology/topology-svg.ts";
import { eachCase } from "../each-case.ts";
import { recordedStack, type Sections } from "../stacks/recorded-stack.ts";

const named = (...names: readonly string[]): readonly object[] => names.map((name) => ({ name }));
const settings: Sections = {
  cluster: { controlPlanes: 3, workers: named("worker-1", "worker-2") },
  nodes: named("win-1", "win-2", "win-3", "win-10"),
};

describe("the picture of a stack", () => {
  const pictures = { rehearsal: "docs/topology.svg", dev: "docs/topology-dev.svg" };
  eachCase("of %s is as it was looked at and found good", pictures, async (file, stack) => {
    const svg = await topologySvg(stack, await recordedStack(stack));
    const how = `${file} is old: make topology STACK=${stack} OUT=${file}, and look at it`;
    assert.equal(svg, await readFile(file, "utf8"), how);
  });

  describe("with many nodes", () => {
    let preview: Previewed;
    let svg: string;
    before(async () => {
      preview = await recordedStack("dev", { settings });
      svg = await topologySvg("dev", preview);
    });

    it("is the same again", async () =>
      assert.equal(await topologySvg("dev", structuredClone(preview)), svg));

    it("is well-formed, and has words for who can't see it", () => {
      assert.equal(XMLValidator.validate(svg), true);
      assert.match(svg, /^<svg role="img" aria-labelledby="title description" /);
      for (const id of ["title", "description"]) {
        assert.equal(svg.split(` id="${id}">`).length, 2);
      }
    });

    it("shows the segment, every Linux node, and every machine with its address and size", () => {
      const texts = textsIn(svg);
      const { machines, workers, network, cluster } = labOf(preview);
      assert.ok(machines.length > 0);
      for (const { node: machine, address, cpus, memoryMiB } of machines) {
        assert.ok(texts.includes(machine), machine);
        assert.ok(texts.includes(address), `${machine}: ${address}`);
        assert.ok(texts.some((text) => text.startsWith(`${cpus} CPU, ${memoryMiB} MiB, `)));
      }
      assert.ok(texts.includes(`${network?.bridge ?? ""}, ${network?.cidr ?? ""}`));
      for (const each of [...(cluster?.controlPlanes ?? []), ...workers]) {
        assert.ok(texts.includes(each.replace(`${cluster?.name}-`, "")), each);
      }
    });

    it("names every resource and its kind", () => {
      const shown = textsIn(svg).join("\n");
      for (const { type, name: resource } of preview.resources) {
        const kind = kindOf(type);
        assert.ok(
          svg.includes(xmlOf(`${kind} ${resource}`)) || shown.includes(`${kind} (${resource})`),
          `${kind} ${resource}`,
        );
        // Not only where nobody sees it: at the beginning of a line in a box, or in the last line.
        assert.match(shown, new RegExp(`^(Not drawn: .*)?${kind}[: (]`, "m"));
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

    it("tells machines apart whose names begin alike", () => {
      for (const machine of ["win-1", "win-10"]) {
        const own = groupsOf(preview).filter((group) => group.machine === machine);
        const made = own.flatMap(({ resources }) => resources.map(({ name }) => name));
        assert.ok(own.length >= 4);
        assert.ok(made.every((name) => name === machine || name.startsWith(`${machine}-`)));
      }
    });
  });

  it("says that a machine is prepared beside the cluster, and that its join waits for it", async () => {
    const preview = await recordedStack("rehearsal");
    const groups = groupsOf(preview);
    const after = Object.fromEntries(groups.map((group) => [group.title, group.after]));
    assert.deepEqual(after, {
      LabNetwork: [],
      KindCluster: ["LabNetwork"],
      KubeProxyWindows: ["KindCluster"],
      MachineStorage: [],
      "LibvirtMachine win-1": ["LabNetwork", "MachineStorage"],
      "LibvirtMachine win-1 (2)": ["KindCluster", "LibvirtMachine win-1"],
      "WindowsNode win-1": ["LibvirtMachine win-1"],
      "WindowsNode win-1 (2)": ["KindCluster", "WindowsNode win-1"],
      "WindowsNode win-1 (3)": ["LibvirtMachine win-1 (2)", "WindowsNode win-1 (2)"],
      "KubeProxyWindows (2)": ["KubeProxyWindows", "WindowsNode win-1 (3)"],
    });
  });

  it("is one also of a stack with nothing in it", async () =>
    assert.equal(XMLValidator.validate(await topologySvg("t", nothing)), true));

  it("shows addresses and names as they are, whatever is in them", async () => {
    const svg = await topologySvg(`<script>&amp;"`, nothing);
    assert.ok(textsIn(svg).includes(`Pulumi.<script>&amp;".yaml`));
  });
});

const nothing: Previewed = { resources: [], components: [], diagnostics: [] };

/** As Graphviz writes it. */
const xmlOf = (text: string): string => text.replaceAll("-", "&#45;");

/** Texts of a picture, as they are read. */
function textsIn(svg: string): readonly string[] {
  const marks = { "&#45;": "-", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" } as const;
  return [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map(([, text = ""]) =>
    text.replaceAll(/&#45;|&lt;|&gt;|&quot;|&amp;/g, (mark) => marks[mark as keyof typeof marks]),
  );
}
