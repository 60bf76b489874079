import assert from "node:assert/strict";
import { resolveSettings } from "../../../config/resolve.ts";
import { stackNeeds } from "../../../stacks/stack-needs.ts";
import { eachCase } from "../each-case.ts";

const rehearsal = { windows: { image: { kind: "rehearsal" } } };
const disk = { windows: { image: { kind: "disk", path: "/srv/windows.qcow2" } } };
const win = { nodes: [{ name: "win-1" }] };

type Summary = readonly [
  windows: string | undefined,
  linux: boolean,
  pushesPrograms: boolean,
  loadBalancer: boolean,
  calico: boolean,
];

const cases: Readonly<Record<string, readonly [object, Summary]>> = {
  "no machine": [{ ...disk, nodes: [] }, [undefined, false, false, false, true]],
  "a rehearsed machine, whose image has the programs": [
    { ...rehearsal, ...win },
    ["rehearsal", false, false, false, true],
  ],
  "a machine with Windows, whose image has none": [
    { ...disk, ...win },
    ["disk", false, true, false, true],
  ],
  "Linux machines only, three control planes, Flannel": [
    {
      ...disk,
      nodes: [{ name: "linux-1", os: "linux" }],
      cluster: { controlPlanes: 3 },
      cni: { kind: "flannel" },
    },
    [undefined, true, false, true, false],
  ],
};

describe("what a stack needs on this host", () => {
  eachCase("%s", cases, ([written, summary]) => {
    const where = { stack: "x", file: "Pulumi.x.yaml" };
    const needs = stackNeeds(resolveSettings(written as Record<string, unknown>, where));
    const { windowsImage, linuxImage, pushesPrograms, loadBalancer, calico } = needs;
    assert.deepEqual(
      [
        windowsImage?.kind,
        linuxImage !== undefined,
        ...[pushesPrograms, loadBalancer, calico !== undefined],
      ],
      summary,
    );
  });
});
