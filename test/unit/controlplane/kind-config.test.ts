import assert from "node:assert/strict";
import { parse } from "yaml";

import { hostTraits } from "../../../components/controlplane/host-traits.ts";
import { kindConfig } from "../../../components/controlplane/kind-config.ts";
import type { ClusterShape, HostTraits } from "../../../components/controlplane/kind-config.ts";
import { eachCase } from "../each-case.ts";

const shape: ClusterShape = {
  name: "kindows-lab",
  image: `kindest/node:v1.36.4@sha256:${"0".repeat(64)}`,
  controlPlanes: 1,
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/16",
  defaultCni: true,
};
const modern: HostTraits = { cgroupVersion: 2, mayLowerOomScore: true };

describe("kind's configuration", () => {
  const networking = {
    ipFamily: "ipv4",
    podSubnet: "10.244.0.0/16",
    serviceSubnet: "10.96.0.0/16",
    disableDefaultCNI: false,
  };
  const node = { role: "control-plane", image: shape.image };
  const plain = {
    ...{ kind: "Cluster", apiVersion: "kind.x-k8s.io/v1alpha4", name: "kindows-lab" },
    networking,
    nodes: [node],
  };
  const kubelet = "kind: KubeletConfiguration\n";
  const oldCgroup = "failCgroupV1: false\n";
  const inUserNamespace = "featureGates:\n  KubeletInUserNamespace: true\n";
  const containerdConfigPatches = [
    '[plugins."io.containerd.grpc.v1.cri"]\n  restrict_oom_score_adj = true\n',
  ];

  const ranges = { podSubnet: "10.10.0.0/16", serviceSubnet: "10.20.0.0/20" };
  const cases: Readonly<Record<string, readonly [Partial<ClusterShape & HostTraits>, object]>> = {
    plain: [{}, {}],
    // No workers: they are joined one by one.
    "three control planes": [{ controlPlanes: 3 }, { nodes: [node, node, node] }],
    "without CNI": [
      { defaultCni: false },
      { networking: { ...networking, disableDefaultCNI: true } },
    ],
    "other ranges": [
      { podCidr: ranges.podSubnet, serviceCidr: ranges.serviceSubnet },
      { networking: { ...networking, ...ranges } },
    ],
    "cgroup v1": [{ cgroupVersion: 1 }, { kubeadmConfigPatches: [kubelet + oldCgroup] }],
    "no OOM score": [
      { mayLowerOomScore: false },
      { kubeadmConfigPatches: [kubelet + inUserNamespace], containerdConfigPatches },
    ],
    "a sandbox": [
      { cgroupVersion: 1, mayLowerOomScore: false },
      { kubeadmConfigPatches: [kubelet + oldCgroup + inUserNamespace], containerdConfigPatches },
    ],
  };
  eachCase("%s", cases, ([changes, more]) => {
    const text = kindConfig({ ...shape, ...changes }, { ...modern, ...changes });
    assert.deepEqual(parse(text), { ...plain, ...more });
  });
});

describe("what a host allows", () => {
  const status = (bounding: string): string => `Name:\tnode\nCapBnd:\t${bounding}\nCapAmb:\t0\n`;
  const all = "000001ffffffffff";
  const withoutSysResource = "000001fffeffffff";

  const cases: readonly [docker: string, bounding: string, 1 | 2, boolean][] = [
    ["1", all, 1, true],
    ["2", all, 2, true],
    ["2", withoutSysResource, 2, false],
    ["1", withoutSysResource, 1, false],
    ["2", "0000000001000000", 2, true],
    ["2", "0000000000000000", 2, false],
  ];
  for (const [docker, bounding, cgroupVersion, mayLowerOomScore] of cases) {
    it(`cgroup ${docker}, capabilities ${bounding}`, () => {
      const info = JSON.stringify({ CgroupVersion: docker });
      assert.deepEqual(hostTraits(info, status(bounding)), { cgroupVersion, mayLowerOomScore });
    });
  }

  it("refuses a Docker that does not say, and a status without capabilities", () => {
    assert.throws(() => hostTraits("{}", status(all)), /does not say its cgroup version/);
    assert.throws(() => hostTraits('{"CgroupVersion":"2"}', "Name:\tnode\n"), /no CapBnd line/);
  });
});
