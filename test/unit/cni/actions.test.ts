import assert from "node:assert/strict";

import { runOnCluster } from "../controlplane/run-action.ts";

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

  it("end a wait for Calico with all that is missing", async () => {
    const components = { calico: "installations", apiserver: "apiservers" };
    const { exitCode, stderr } = await awaitCalico(
      { version: "3.32.1", components, linuxNodes: true },
      [{ type: "Degraded", status: "True", reason: "Invalid", message: "no pool" }],
      (path) => {
        const nodes = [{ metadata: { name: "worker-1" }, status: {} }];
        return { items: path.endsWith("/nodes") ? nodes : [], metadata: { generation: 2 } };
      },
    );
    assert.equal(exitCode, 1);
    for (const expected of [
      "waited 600 s for Calico 3.32.1 (calico, apiserver) and Ready Linux nodes",
      "calico: degraded: Invalid: no pool",
      "apiserver: no report of the operator's yet",
      "node worker-1: registered, has not reported its state yet",
    ]) {
      assert.ok(stderr.includes(expected), stderr);
    }
  });

  it("end a wait for Calico with the pods that hold it up", async () => {
    const waiting = { reason: "ImagePullBackOff", message: "Back-off pulling image" };
    const pod = {
      metadata: { name: "calico-node-a" },
      spec: { nodeName: "worker-1" },
      status: { containerStatuses: [{ name: "calico-node", state: { waiting } }] },
    };
    const { stderr } = await awaitCalico(
      { version: "3.32.1", components: { calico: "installations" }, linuxNodes: true },
      [
        {
          type: "Progressing",
          status: "True",
          reason: "ResourceNotReady",
          message: "no DaemonSet",
        },
      ],
      (path) => {
        const held = path === "GET /api/v1/namespaces/calico-system/pods";
        return { items: held ? [pod] : [], metadata: { generation: 1 } };
      },
    );
    for (const expected of [
      "calico: not there yet: ResourceNotReady: no DaemonSet",
      "pod calico-node-a on worker-1: calico-node waits: ImagePullBackOff (Back-off pulling image)",
    ]) {
      assert.ok(stderr.includes(expected), stderr);
    }
  });

  it("wait until the version that is wanted is the one that is installed", async () => {
    const { exitCode, stderr } = await awaitCalico(
      { version: "3.32.2", components: { calico: "installations" }, linuxNodes: false },
      [{ type: "Available", status: "True", observedGeneration: 2 }],
      () => ({ items: [], metadata: { generation: 2 }, status: { calicoVersion: "v3.32.1" } }),
    );
    assert.equal(exitCode, 1);
    assert.match(stderr, /last seen: the operator has installed v3\.32\.1 so far/);
  });

  it("print the API server's own address", async () => {
    const slice = {
      addressType: "IPv4",
      endpoints: [{ addresses: ["192.168.150.128"] }],
      ports: [{ name: "https", port: 6443 }],
    };
    const { stdout } = await runOnCluster("cni/actions/find-api-server", {}, () => [
      200,
      { items: [slice] },
    ]);
    assert.deepEqual(JSON.parse(stdout), { address: "192.168.150.128", port: 6443 });
  });
});
