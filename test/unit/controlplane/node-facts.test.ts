import assert from "node:assert/strict";
import type { V1Node, V1NodeCondition } from "@kubernetes/client-node";

import { nodeFacts, nodeReadiness } from "../../../components/controlplane/node-facts.ts";
import { isReady } from "../../../components/controlplane/pod-readiness.ts";

/** Conditions of a node, and why it is not Ready. */
const readiness: readonly [
  what: string,
  conditions: readonly Partial<V1NodeCondition>[] | undefined,
  reason?: string,
][] = [
  [
    "Ready",
    [
      { type: "DiskPressure", status: "False" },
      { type: "Ready", status: "True" },
    ],
  ],
  ["no status", undefined, "registered, has not reported its state yet"],
  [
    "other conditions only",
    [{ type: "DiskPressure", status: "True" }],
    "registered, has not reported its state yet",
  ],
  [
    "not ready, with words",
    [{ type: "Ready", status: "False", reason: "KubeletNotReady", message: "no cni" }],
    "Ready=False (KubeletNotReady: no cni)",
  ],
  [
    "lost",
    [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }],
    "Ready=Unknown (NodeStatusUnknown)",
  ],
  ["not ready, without a word", [{ type: "Ready", status: "False" }], "Ready=False"],
];

const windows: V1Node = {
  metadata: { name: "win-1", labels: { "node.kubernetes.io/windows-build": "10.0.20348" } },
  status: {
    addresses: [
      { type: "Hostname", address: "win-1" },
      { type: "InternalIP", address: "192.168.150.11" },
    ],
    nodeInfo: {
      ...{ architecture: "amd64", operatingSystem: "windows", kernelVersion: "10.0.20348.4405" },
      ...{
        osImage: "Windows Server 2022 Datacenter",
        containerRuntimeVersion: "containerd://2.4.2",
      },
      ...{ kubeletVersion: "v1.36.4", kubeProxyVersion: "" },
      ...{ bootID: "", machineID: "", systemUUID: "" },
    },
  },
};

describe("a node's own report", () => {
  for (const [what, conditions, reason] of readiness) {
    it(`${what}: ${reason ?? "is ready"}`, () => {
      const node = conditions && { status: { conditions: conditions as V1NodeCondition[] } };
      const told = reason === undefined ? { ready: true } : { ready: false, reason };
      assert.deepEqual(nodeReadiness(node ?? {}), told);
    });
  }

  it("gives a Windows node's facts", () =>
    assert.deepEqual(nodeFacts(windows), {
      name: "win-1",
      addresses: ["192.168.150.11"],
      kubeletVersion: "1.36.4",
      osImage: "Windows Server 2022 Datacenter",
      containerRuntime: "containerd://2.4.2",
      windowsBuild: "10.0.20348",
    }));

  it("has no Windows build on Linux", () => {
    const linux = { ...windows, metadata: { name: "linux-1", labels: {} } };
    assert.equal("windowsBuild" in nodeFacts(linux), false);
  });

  it("is refused before the kubelet has reported", () =>
    assert.throws(() => nodeFacts({ metadata: { name: "win-1" } }), /has not reported/));
});

describe("a pod", () => {
  const [initialized, containersReady] = [{ type: "Initialized" }, { type: "ContainersReady" }];
  const cases = [
    [undefined, false],
    [[], false],
    [[{ type: "Ready", status: "False" }], false],
    [[{ ...containersReady, status: "True" }], false],
    [
      [
        { ...initialized, status: "True" },
        { type: "Ready", status: "True" },
      ],
      true,
    ],
  ] as const;
  for (const [conditions, ready] of cases) {
    it(`with ${JSON.stringify(conditions)} is ${ready ? "" : "not "}ready`, () =>
      assert.equal(isReady({ status: { conditions: conditions && [...conditions] } }), ready));
  }
});
