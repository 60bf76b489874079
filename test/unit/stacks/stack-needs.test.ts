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
  pushedPrograms: string,
  loadBalancer: boolean,
  calico: boolean,
];

const kubelet = { uri: "file:///srv/kubelet.exe", sha256: "3".repeat(64) };
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKphE3dBBLzRwJ0sWmnVSVEdyaYzKdVVZ3sXJsr5mJpT";
const ownMachine = { name: "win-2", ssh: { address: "192.168.150.20", hostKey } };

const cases: Readonly<Record<string, readonly [object, Summary, own?: object]>> = {
  "no machine": [{ ...disk, nodes: [] }, [undefined, false, "none", false, true]],
  "a rehearsed machine, whose image has the programs": [
    { ...rehearsal, ...win },
    ["rehearsal", false, "none", false, true],
  ],
  "a rehearsed machine, and a kubelet of the user's": [
    { ...rehearsal, ...win },
    ["rehearsal", false, "own", false, true],
    { kubelet },
  ],
  "a machine of the user's": [
    { ...rehearsal, nodes: [ownMachine], login: { privateKeyFile: "/k" } },
    [undefined, false, "all", false, true],
  ],
  "a machine with Windows, whose image has none": [
    { ...disk, ...win },
    ["disk", false, "all", false, true],
  ],
  "Linux machines only, three control planes, Flannel": [
    {
      ...disk,
      nodes: [{ name: "linux-1", os: "linux" }],
      cluster: { controlPlanes: 3 },
      cni: { kind: "flannel" },
    },
    [undefined, true, "none", true, false],
  ],
};

describe("what a stack needs on this host", () => {
  eachCase("%s", cases, ([written, summary, files = {}]) => {
    const where = { stack: "x", file: "Pulumi.x.yaml", own: { files, problems: [] } };
    const needs = stackNeeds(resolveSettings(written as Record<string, unknown>, where));
    const { windowsImage, linuxImage, pushedPrograms, loadBalancer, calico } = needs;
    assert.deepEqual(
      [
        windowsImage?.kind,
        linuxImage !== undefined,
        ...[pushedPrograms, loadBalancer, calico !== undefined],
      ],
      summary,
    );
  });
});
