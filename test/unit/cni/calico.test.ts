import assert from "node:assert/strict";

import {
  type CalicoNetworkOptions,
  installationObjects,
} from "../../../components/cni/calico/installation.ts";
import { calicoRelease, calicoVersions } from "../../../components/cni/calico/release.ts";
import {
  missingComponents,
  type TigeraCondition,
} from "../../../components/cni/calico/tigera-status.ts";
import { assertGolden, yamlText } from "../controlplane/golden.ts";
import { runOnCluster } from "../controlplane/run-action.ts";
import { eachCase } from "../each-case.ts";

const here = new URL(import.meta.url);
const network: CalicoNetworkOptions = {
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/16",
  encapsulation: "VXLAN",
  bgp: "Disabled",
  mtu: undefined,
  windows: true,
};

describe("Calico's objects", () => {
  it("are an Installation with the cluster's ranges, VXLAN and HNS, and the API server", () => {
    const { Installation, APIServer } = installationObjects(network);
    assertGolden(here, "installation.yaml", yamlText(Installation, APIServer));
  });

  it("have a release for every version of the settings, and no other", () => {
    for (const version of calicoVersions) {
      assert.equal(calicoRelease(version).calico, version);
      assert.match(calicoRelease(version).definitionsSha256, /^[0-9a-f]{64}$/);
    }
    assert.throws(
      () => calicoRelease("3.27.0"),
      /Calico 3\.27\.0 is not pinned: write one of 3\.32\.1/,
    );
  });
});

describe("a report of Tigera's operator", () => {
  const there = { type: "Available", status: "True" };
  const available = { ...there, observedGeneration: 2 };
  const degraded = { type: "Degraded", status: "True" };
  const underWay = {
    type: "Progressing",
    status: "True",
    reason: "ResourceNotReady",
    message: 'DaemonSet "calico-system/calico-node" is not available (awaiting 2 nodes)',
  };
  const cases: Readonly<Record<string, readonly [TigeraCondition[], reported?: string]>> = {
    "nothing when all is there": [
      [available, ...[underWay, degraded].map((each) => ({ ...each, status: "False" }))],
    ],
    "nothing of a generation the operator does not note": [[there]],
    "nothing of a generation that was never set": [[{ ...there, observedGeneration: 0 }]],
    "what the operator refuses": [
      [available, { ...degraded, reason: "Invalid", message: "spec.cni must be defined" }],
      "degraded: Invalid: spec.cni must be defined",
    ],
    "what is under way": [[underWay], `not available yet: ${underWay.reason}: ${underWay.message}`],
    "that nothing is said": [
      [{ ...there, status: "False" }],
      "not available yet, and the operator does not say why",
    ],
    "a refusal without words": [[degraded], "degraded: without a reason"],
    "that a report is too old": [
      [{ ...available, observedGeneration: 1 }],
      "the operator has not processed the newest settings yet",
    ],
  };
  eachCase("tells %s", cases, ([conditions, expected]) => {
    const status = { metadata: { name: "calico" }, status: { conditions } };
    assert.deepEqual(
      missingComponents([status], { calico: 2 }),
      expected === undefined ? [] : [`calico: ${expected}`],
    );
  });
});

/** Has a wait of 600 s end after its first look: each look at the clock is 400 s after the one before. */
const hasty = "let now = Date.now(); Date.now = () => (now += 400_000)";
const hastily = ["--import", `data:text/javascript,${encodeURIComponent(hasty)}`];

describe("host actions of the pod network", () => {
  it("configure Calico once its API is there: what is missing is made, the rest kept", async () => {
    const api = "/apis/projectcalico.org/v3";
    const written: Record<string, unknown> = {};
    let looks = 0;
    const { exitCode, stdout, stderr } = await runOnCluster(
      "cni/actions/configure-calico",
      {
        CALICO: JSON.stringify({ felix: { logSeverityScreen: "Debug" }, timeoutSeconds: 600 }),
        PULUMI_COMMAND_STDOUT: '["dropped","logSeverityScreen"]',
      },
      (request, body) => {
        if (request === `GET ${api}`) {
          looks += 1;
          const names = looks < 3 ? [] : ["ipamconfigurations", "felixconfigurations"];
          return looks < 2
            ? [404, { message: "the server could not find the requested resource" }]
            : [200, { resources: names.map((name) => ({ name })) }];
        }
        if (request === `GET ${api}/ipamconfigurations/default`) {
          return [404, { message: "not found" }];
        }
        if (request === `GET ${api}/felixconfigurations/default`) {
          const spec = { vxlanVNI: 4096, dropped: 1, logSeverityScreen: "Info" };
          return [200, { metadata: { resourceVersion: "7" }, spec }];
        }
        written[request] = body;
        return [200, {}];
      },
    );
    assert.equal(exitCode, 0, stderr);
    assert.equal(stdout, '["logSeverityScreen"]');
    assert.deepEqual(written, {
      [`POST ${api}/ipamconfigurations`]: {
        apiVersion: "projectcalico.org/v3",
        kind: "IPAMConfiguration",
        metadata: { name: "default" },
        spec: { strictAffinity: true, autoAllocateBlocks: true },
      },
      [`PUT ${api}/felixconfigurations/default`]: {
        metadata: { resourceVersion: "7" },
        spec: { vxlanVNI: 4096, logSeverityScreen: "Debug" },
      },
    });
    assert.match(stderr, /no ipamconfigurations, felixconfigurations yet/);
  });

  /** Waits for Calico with these conditions of its component `calico`, and of nothing else. */
  const awaitCalico = (
    request: object,
    conditions: readonly object[],
    others: (request: string) => object,
  ) =>
    runOnCluster(
      "cni/actions/await-calico",
      { CALICO: JSON.stringify({ ...request, timeoutSeconds: 600 }) },
      (path) => [
        200,
        path.endsWith("/tigerastatuses")
          ? { items: [{ metadata: { name: "calico" }, status: { conditions } }] }
          : others(path),
      ],
      hastily,
    );

  it("end a wait for Calico with all that is missing, and the pods that hold it up", async () => {
    const components = { calico: "installations", apiserver: "apiservers" };
    const waiting = { reason: "ImagePullBackOff", message: "Back-off pulling image" };
    const pod = {
      metadata: { name: "calico-node-a" },
      spec: { nodeName: "worker-1" },
      status: { initContainerStatuses: [{ image: "cni:v3", state: { waiting } }] },
    };
    const lists: Readonly<Record<string, readonly object[]>> = {
      "GET /api/v1/nodes": [{ metadata: { name: "worker-1" }, status: {} }],
      "GET /api/v1/namespaces/calico-system/pods": [pod],
    };
    const { exitCode, stderr } = await awaitCalico(
      { version: "3.32.1", components },
      [{ type: "Degraded", status: "True", reason: "Invalid", message: "no pool" }],
      (path) => ({ items: lists[path] ?? [], metadata: { generation: 2 } }),
    );
    assert.equal(exitCode, 1);
    for (const expected of [
      "waited 600 s for Calico 3.32.1 (calico, apiserver) and Ready Linux nodes",
      "calico: degraded: Invalid: no pool",
      "apiserver: not reported by the operator yet",
      "node worker-1: registered, has not reported its state yet",
      "calico-node-a: the image cni:v3 cannot be pulled on worker-1: Back-off pulling image",
    ]) {
      assert.ok(stderr.includes(expected), stderr);
    }
  });

  it("wait until the version that is wanted is the one that is installed", async () => {
    const { exitCode, stderr } = await awaitCalico(
      { version: "3.32.2", components: { calico: "installations" } },
      [{ type: "Available", status: "True", observedGeneration: 2 }],
      () => ({ items: [], metadata: { generation: 2 }, status: { calicoVersion: "v3.32.1" } }),
    );
    assert.equal(exitCode, 1);
    assert.match(stderr, /last seen: the operator has installed v3\.32\.1 so far/);
  });
});
