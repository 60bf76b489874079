import assert from "node:assert/strict";
import type { V1Node, V1NodeCondition } from "@kubernetes/client-node";

import { nodeFacts, nodeReadiness } from "../../../components/controlplane/node-facts.ts";
import { isReady } from "../../../kubernetes/pod-state.ts";
import { eachCase } from "../each-case.ts";

const unreported = "registered, has not reported its state yet";
const condition = (type: string, status: string, more: object = {}) =>
  ({ type, status, ...more }) as V1NodeCondition;
const ready = (status: string, more?: object) => condition("Ready", status, more);
const words = { reason: "KubeletNotReady", message: "no cni" };
/** Conditions of a node, and why it is not Ready. */
const readiness: Readonly<Record<string, readonly [V1NodeCondition[] | undefined, string?]>> = {
  "Ready: is ready": [[condition("DiskPressure", "False"), ready("True")]],
  "no status": [undefined, unreported],
  "other conditions only": [[condition("DiskPressure", "True")], unreported],
  "not ready, with words": [[ready("False", words)], "Ready=False (KubeletNotReady: no cni)"],
  lost: [[ready("Unknown", { reason: "NodeStatusUnknown" })], "Ready=Unknown (NodeStatusUnknown)"],
  "not ready, without a word": [[ready("False")], "Ready=False"],
};

const windows: V1Node = {
  metadata: { name: "win-1", labels: { "node.kubernetes.io/windows-build": "10.0.20348" } },
  status: {
    addresses: [
      { type: "Hostname", address: "win-1" },
      { type: "InternalIP", address: "192.168.150.11" },
    ],
    nodeInfo: {
      ...{ architecture: "amd64", operatingSystem: "windows", kernelVersion: "10.0.20348.4405" },
      ...{ osImage: "Windows Server 2022", containerRuntimeVersion: "containerd://2.4.2" },
      ...{ kubeletVersion: "v1.36.4", kubeProxyVersion: "" },
      ...{ bootID: "", machineID: "", systemUUID: "" },
    },
  },
};

describe("a node's own report", () => {
  eachCase("%s", readiness, ([conditions, reason]) => {
    const reported = reason === undefined ? { ready: true } : { ready: false, reason };
    assert.deepEqual(nodeReadiness(conditions ? { status: { conditions } } : {}), reported);
  });

  it("gives a Windows node's facts", () =>
    assert.deepEqual(nodeFacts(windows), {
      name: "win-1",
      addresses: ["192.168.150.11"],
      kubeletVersion: "1.36.4",
      osImage: "Windows Server 2022",
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
  const cases = [
    [undefined, false],
    [[], false],
    [[ready("False")], false],
    [[condition("ContainersReady", "True")], false],
    [[condition("Initialized", "True"), ready("True")], true],
  ] as const;
  for (const [conditions, ready] of cases) {
    it(`with ${JSON.stringify(conditions)} is ${ready ? "" : "not "}ready`, () =>
      assert.equal(isReady({ status: { conditions: conditions && [...conditions] } }), ready));
  }
});
