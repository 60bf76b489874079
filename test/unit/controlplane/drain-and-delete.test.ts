import assert from "node:assert/strict";
import { mock } from "node:test";

import { ClusterApi } from "../../../components/controlplane/actions/cluster-api.ts";
import { drainAndDelete } from "../../../components/controlplane/actions/drain-and-delete.ts";
import { hastenClock, withFakeApi } from "./fake-api.ts";
import type { Answer } from "./fake-api.ts";
import { kubeconfig } from "./fixture-kubeconfig.ts";

const removal = { name: "win-1", drainTimeoutSeconds: 600 };
const node = { kind: "Node", metadata: { name: "win-1", resourceVersion: "1" }, spec: {} };
const pod = { metadata: { name: "web", namespace: "default" }, status: { phase: "Running" } };
const notFound: Answer = [404, { message: "not found" }];

const eviction = "POST /api/v1/namespaces/default/pods/web/eviction";
const own = "/api/v1/nodes/win-1";

describe("removing a node", () => {
  afterEach(() => mock.restoreAll());

  it("cordons it, moves its pods away, and deletes it", async () => {
    let pods = [pod];
    const put: unknown[] = [];
    await withFakeApi(
      (request, body) => {
        if (request === eviction) pods = [];
        if (request === `PUT ${own}`) put.push(body);
        return [200, request === "GET /api/v1/pods" ? { items: pods } : node];
      },
      async (api, requests) => {
        await drainAndDelete(api, removal);
        assert.deepEqual(requests, [
          `GET ${own}`,
          `PUT ${own}`,
          "GET /api/v1/pods",
          eviction,
          "GET /api/v1/pods",
          `DELETE ${own}`,
        ]);
        assert.deepEqual(put, [{ ...node, spec: { unschedulable: true } }]);
      },
    );
  });

  it("cordons again when the kubelet wrote in between", async () => {
    let conflicts = 2;
    await withFakeApi(
      (request) => {
        if (request.startsWith("PUT") && conflicts > 0) {
          conflicts--;
          return [409, { message: "the object has been modified" }];
        }
        return [200, request === "GET /api/v1/pods" ? { items: [] } : node];
      },
      async (api, requests) => {
        await drainAndDelete(api, removal);
        assert.equal(requests.filter((each) => each.startsWith("PUT")).length, 3);
        assert.equal(requests.at(-1), `DELETE ${own}`);
      },
    );
  });

  it("does not cordon twice", async () => {
    await withFakeApi(
      (request) => [
        200,
        request === "GET /api/v1/pods" ? { items: [] } : { ...node, spec: { unschedulable: true } },
      ],
      async (api, requests) => {
        await drainAndDelete(api, removal);
        assert.deepEqual(requests, [`GET ${own}`, "GET /api/v1/pods", `DELETE ${own}`]);
      },
    );
  });

  it("deletes it in the end though a disruption budget forbids the eviction", async () => {
    hastenClock();
    await withFakeApi(
      (request) => {
        if (request === eviction) return [429, { message: "would violate the budget" }];
        return [200, request === "GET /api/v1/pods" ? { items: [pod] } : node];
      },
      async (api, requests) => {
        await drainAndDelete(api, removal);
        assert.ok(requests.includes(eviction));
        assert.equal(requests.at(-1), `DELETE ${own}`);
      },
    );
  });

  it("is done when the node is gone already", async () => {
    await withFakeApi(
      () => notFound,
      async (api, requests) => {
        await drainAndDelete(api, removal);
        assert.deepEqual(requests, [`GET ${own}`]);
      },
    );
  });

  it("is done when the node goes meanwhile", async () => {
    await withFakeApi(
      (request) => {
        if (request === `DELETE ${own}`) return notFound;
        return [200, request === "GET /api/v1/pods" ? { items: [] } : node];
      },
      async (api, requests) => {
        await drainAndDelete(api, removal);
        assert.equal(requests.at(-1), `DELETE ${own}`);
      },
    );
  });

  it("is done when the cluster is gone", async () => {
    let gone = "";
    await withFakeApi(
      () => notFound,
      (_api, _requests, server) => {
        gone = server;
        return Promise.resolve();
      },
    );
    await drainAndDelete(new ClusterApi(kubeconfig(gone)), removal);
  });

  it("fails where the API server refuses", async () => {
    await withFakeApi(
      () => [403, { message: "nodes is forbidden" }],
      (api) =>
        assert.rejects(
          drainAndDelete(api, removal),
          /does not let the node win-1 be removed: nodes is forbidden/,
        ),
    );
  });
});
