import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { mock } from "node:test";

import { ApiError, ClusterApi, hasStatus } from "../../../kubernetes/cluster-api.ts";
import { withFakeApi } from "./fake-api.ts";
import { kubeconfig } from "./fixture-kubeconfig.ts";

describe("client of the API server", () => {
  afterEach(() => mock.restoreAll());

  it("gets, posts, puts, applies and deletes", async () => {
    const asked: unknown[] = [];
    await withFakeApi(
      (request, body) => {
        asked.push([request, body]);
        return [200, { kind: "Node" }];
      },
      async (api) => {
        assert.deepEqual(await api.get("/api/v1/nodes/a?x=1"), { kind: "Node" });
        await api.post("/api/v1/nodes", { a: 1 });
        await api.put("/api/v1/nodes/a", { b: 2 });
        await api.apply("/apis/x/v1/things/a", { a: 1 });
        await api.delete("/api/v1/nodes/a");
      },
    );
    assert.deepEqual(asked, [
      ["GET /api/v1/nodes/a", undefined],
      ["POST /api/v1/nodes", { a: 1 }],
      ["PUT /api/v1/nodes/a", { b: 2 }],
      ["PATCH /apis/x/v1/things/a", { a: 1 }],
      ["DELETE /api/v1/nodes/a", undefined],
    ]);
  });

  it("gives the server's own words for an error", async () => {
    const status = { kind: "Status", message: 'nodes "a" not found' };
    await withFakeApi(
      () => [404, status],
      async (api) => {
        const error: unknown = await api.get("/api/v1/nodes/a").catch((each: unknown) => each);
        assert.ok(error instanceof ApiError);
        assert.equal(error.message, 'nodes "a" not found');
        assert.ok(hasStatus(error, 404));
        assert.ok(!hasStatus(error, 409));
      },
    );
  });

  it("says the status where there are no words", () =>
    withFakeApi(
      () => [502, {}],
      (api) => assert.rejects(api.get("/"), /answered with HTTP status 502/),
    ));

  it("checks the server's certificate", () =>
    withFakeApi(
      () => [200, {}],
      async (_api, _requests, server) => {
        const stranger = new ClusterApi(kubeconfig(server, "ca-rsa.pem"));
        await assert.rejects(stranger.get("/"), /self-signed|certificate/);
      },
    ));

  it("does not wait for a server that accepts and is silent", async () => {
    const silent = createServer(() => undefined);
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const { port } = silent.address() as AddressInfo;
    const api = new ClusterApi(kubeconfig(`https://127.0.0.1:${port}`), 0.3);
    const limit = mock.method(AbortSignal, "timeout");
    await assert.rejects(api.get("/"), /does not answer within 0.3 s/);
    assert.deepEqual(limit.mock.calls[0]?.arguments, [300]);
    silent.close();
  });
});
