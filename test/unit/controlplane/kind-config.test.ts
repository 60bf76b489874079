import assert from "node:assert/strict";
import { parse } from "yaml";

import { kindConfig } from "../../../components/controlplane/kind-config.ts";
import type { ClusterShape, HostTraits } from "../../../components/controlplane/kind-config.ts";
import { assertGolden } from "./golden.ts";

const shape: ClusterShape = {
  name: "kindows-lab",
  image:
    "kindest/node:v1.36.4@sha256:0000000000000000000000000000000000000000000000000000000000000000",
  controlPlanes: 1,
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/16",
  defaultCni: true,
};
const modern: HostTraits = { cgroupVersion: 2, mayLowerOomScore: true };

const cases: readonly [file: string, ClusterShape, HostTraits][] = [
  ["kind-plain.yaml", shape, modern],
  ["kind-three-control-planes.yaml", { ...shape, controlPlanes: 3 }, modern],
  ["kind-without-cni.yaml", { ...shape, defaultCni: false }, modern],
  ["kind-cgroup-v1.yaml", shape, { ...modern, cgroupVersion: 1 }],
  ["kind-no-oom-score.yaml", shape, { ...modern, mayLowerOomScore: false }],
  ["kind-sandbox.yaml", shape, { cgroupVersion: 1, mayLowerOomScore: false }],
  [
    "kind-other-ranges.yaml",
    { ...shape, podCidr: "10.10.0.0/16", serviceCidr: "10.20.0.0/20" },
    modern,
  ],
];

describe("kind's configuration", () => {
  for (const [file, options, host] of cases) {
    it(`${file}`, () => assertGolden(new URL(import.meta.url), file, kindConfig(options, host)));
  }

  it("has no workers: they are joined one by one", () => {
    const { nodes } = parse(kindConfig({ ...shape, controlPlanes: 3 }, modern)) as {
      nodes: { role: string }[];
    };
    assert.deepEqual(
      nodes.map((node) => node.role),
      ["control-plane", "control-plane", "control-plane"],
    );
  });
});
