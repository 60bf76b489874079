import assert from "node:assert/strict";

import { diskMaker } from "../../../cli/prepare/disk-makers.ts";
import { machineParts } from "../../../cli/prepare/prepare.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { stackNeeds } from "../../../stacks/stack-needs.ts";
import { eachCase } from "../each-case.ts";

const rehearsal = { windows: { image: { kind: "rehearsal" } } };
const win = { nodes: [{ name: "win-1" }] };
const disk = { windows: { image: { kind: "disk", path: "/srv/windows.qcow2" } } };
const linux = { name: "linux-1", os: "linux" };
const checksums = { checksums: { containerd: "6".repeat(64) } };

/** What a stack builds for its machines. */
const cases: Readonly<Record<string, readonly [object, readonly string[]]>> = {
  "no machine at all": [{ ...rehearsal, nodes: [] }, []],
  "no machine, with Calico": [{ ...rehearsal, nodes: [], cni: { kind: "calico" } }, []],
  "no machine, two workers in containers": [
    { ...rehearsal, nodes: [], cluster: { workers: [{ name: "a" }, { name: "b" }] } },
    [],
  ],
  "no machine, and real Windows in the settings": [{ ...disk, nodes: [] }, []],
  "a rehearsed machine": [{ ...rehearsal, ...win }, ["rehearsal-image-baked"]],
  "a rehearsed machine from a bare image": [
    { windows: { image: { kind: "rehearsal", baked: false } }, ...win },
    ["rehearsal-image"],
  ],
  "a Linux machine alone": [{ ...rehearsal, nodes: [linux] }, ["linux-image", "linux-programs"]],
  "a Linux machine from a cloud image": [
    {
      ...rehearsal,
      nodes: [linux],
      linux: { image: { path: "/srv/debian.qcow2" } },
    },
    ["linux-programs"],
  ],
  both: [
    { ...rehearsal, nodes: [{ name: "win-1" }, linux] },
    ["rehearsal-image-baked", "linux-image", "linux-programs"],
  ],
  "a disk with real Windows": [{ ...disk, ...win }, []],
  "a disk with real Windows, and Flannel": [
    { windows: { ...disk.windows, ...checksums }, ...win, cni: { kind: "flannel" } },
    [],
  ],
};

describe("what a stack's machines need", () => {
  eachCase("%s", cases, async ([written, images]) => {
    const where = { stack: "x", file: "Pulumi.x.yaml" };
    const settings = resolveSettings(written as Record<string, unknown>, where);
    const needs = stackNeeds(settings);
    const parts = await machineParts(needs, await diskMaker(needs));
    assert.deepEqual(
      parts.map(({ artifact }) => artifact.name),
      images,
    );
  });
});
