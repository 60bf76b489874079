import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { mock } from "node:test";
import {
  mintToken,
  newToken,
  revokeToken,
  tokenId,
  tokenSecret,
} from "../../../components/controlplane/join-token.ts";
import { ApiError, ClusterApi, hasStatus } from "../../../host/kubernetes/cluster-api.ts";
import { eachCase } from "../each-case.ts";
import { type Answer, goneApi, withFakeApi } from "./fake-api.ts";
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

  const apps = { groups: [{ name: "apps", versions: [{ groupVersion: "apps/v1" }] }] };
  const lists: Readonly<Record<string, object>> = {
    "GET /api/v1": { resources: [{ name: "nodes" }, { name: "pods/log" }] },
    "GET /apis": apps,
    "GET /apis/apps/v1": { resources: [{ name: "daemonsets" }] },
  };
  const missing = { kind: "Status", reason: "NotFound", details: { name: "a", kind: "nodes" } };
  const nameless = { kind: "Status", reason: "NotFound", details: {} };
  const absences: Readonly<
    Record<string, { path: string; body?: object; lists?: typeof lists; isFinal: boolean }>
  > = {
    "an object of a known kind": { path: "/api/v1/nodes/a", body: missing, isFinal: false },
    "an object of a kind that has just been defined": {
      path: "/apis/apps/v1/daemonsets/a",
      isFinal: false,
    },
    "a kind that is only listed with what is below it": {
      path: "/api/v1/namespaces/x/pods",
      isFinal: false,
    },
    "a kind of Kubernetes' own": { path: "/api/v1/namespaces/x/prods/a", isFinal: true },
    "a kind of a known group": { path: "/apis/apps/v1/namespaces/x/sets?limit=1", isFinal: true },
    "a version of a group": { path: "/apis/apps/v9/daemonsets", isFinal: true },
    "a group": { path: "/apis/operator.tigera.io/v1/tigerastatuses", isFinal: true },
    "the list of a group's kinds, which may yet come": {
      path: "/apis/projectcalico.org/v3",
      isFinal: false,
    },
    "everything, because a proxy answers": {
      path: "/apis/operator.tigera.io/v1/tigerastatuses",
      lists: {},
      isFinal: false,
    },
  };
  eachCase("knows whether waiting helps if there is not: %s", absences, (one) =>
    withFakeApi(
      (request) => {
        const list = (one.lists ?? lists)[request];
        return list === undefined ? [404, one.body ?? nameless] : [200, list];
      },
      async (api) => {
        const error: unknown = await api.get(one.path).catch((each: unknown) => each);
        assert.ok(error instanceof ApiError);
        assert.equal(error.status, 404);
        assert.equal(error.isFinal, one.isFinal);
      },
    ),
  );

  it("asks no further where a 404 is an answer like another", () =>
    withFakeApi(
      () => [404, nameless],
      async (api, requests) => {
        assert.equal(await api.find("/apis/x/v1/things/a"), undefined);
        assert.equal(await api.delete("/apis/x/v1/things/a"), false);
        assert.equal(requests.length, 2);
      },
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

describe("bootstrap token", () => {
  it("has the form that kubeadm requires and is new each time; its id is not secret", () => {
    const tokens = Array.from({ length: 500 }, newToken);
    for (const token of tokens) {
      assert.match(token, /^[a-z0-9]{6}\.[a-z0-9]{16}$/);
      assert.equal(tokenId(token), token.slice(0, 6));
    }
    assert.equal(new Set(tokens.map((token) => token.slice(7))).size, 500);
  });

  it("becomes a Secret that only allows joining as a node, until it expires", () => {
    const secret = tokenSecret(
      "abc123.0123456789abcdef",
      new Date("2026-11-20T10:11:12.345Z"),
      "kindows: join of win-1",
    );
    assert.deepEqual(secret, {
      apiVersion: "v1",
      kind: "Secret",
      type: "bootstrap.kubernetes.io/token",
      metadata: { name: "bootstrap-token-abc123", namespace: "kube-system" },
      stringData: {
        description: "kindows: join of win-1",
        "token-id": "abc123",
        "token-secret": "0123456789abcdef",
        expiration: "2026-11-20T10:11:12Z",
        "usage-bootstrap-authentication": "true",
        "usage-bootstrap-signing": "true",
        "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token",
      },
    });
  });
});

describe("a minted join token", () => {
  afterEach(() => mock.restoreAll());

  for (const [ttlMinutes, expiration] of [
    [1, "2026-11-20T10:01:00Z"],
    [10, "2026-11-20T10:10:00Z"],
    [60, "2026-11-20T11:00:00Z"],
    [120, "2026-11-20T12:00:00Z"],
  ] as const) {
    it(`is what the cluster was given, and expires after as many minutes as asked: ${ttlMinutes}`, async () => {
      const given: { stringData: Record<string, string> }[] = [];
      await withFakeApi(
        (_request, body) => {
          given.push(body as (typeof given)[number]);
          return [201, {}];
        },
        async (api, requests) => {
          mock.method(Date, "now", () => Date.parse("2026-11-20T10:00:00Z"));
          const token = await mintToken(api, { ttlMinutes, description: "kindows: join of win-1" });
          assert.deepEqual(requests, ["POST /api/v1/namespaces/kube-system/secrets"]);
          const { stringData } = given[0] ?? assert.fail();
          assert.equal(token, `${stringData["token-id"]}.${stringData["token-secret"]}`);
          assert.equal(stringData["expiration"], expiration);
        },
      );
    });
  }
});

describe("a join token that is used up", () => {
  const cases: readonly [what: string, answer: Answer, stays: string | undefined][] = [
    ["is removed", [200, { kind: "Status" }], undefined],
    ["is gone already", [404, { message: "not found" }], undefined],
    ["stays, and why is reported", [403, { message: "it is forbidden" }], "it is forbidden"],
  ];
  for (const [what, answer, stays] of cases) {
    it(what, () =>
      withFakeApi(
        () => answer,
        async (api, requests) => {
          assert.equal(await revokeToken(api, "abc123"), stays);
          assert.deepEqual(requests, [
            "DELETE /api/v1/namespaces/kube-system/secrets/bootstrap-token-abc123",
          ]);
        },
      ),
    );
  }

  it("is not removed where the API server does not answer, and why is reported", async () =>
    assert.match((await revokeToken(await goneApi(), "abc123")) ?? "", /ECONNREFUSED/));
});
