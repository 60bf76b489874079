import assert from "node:assert/strict";

import { startHostServer } from "../../../verify/cluster/host-server.ts";
import { ClusterView } from "../../../verify/cluster/view.ts";
import { selectRows } from "../../../verify/rows/select.ts";
import { createNamespace, removeNamespace } from "../../../verify/run/own-namespace.ts";
import type { SessionOptions } from "../../../verify/run/session.ts";
import { verifyCluster, type VerifyEnd } from "../../../verify/verify.ts";
import { withFakeApi, type Answer } from "../controlplane/fake-api.ts";
import { healthy, linuxNode } from "./cluster-states.ts";

const path = "/api/v1/namespaces/kindows-verify";
const fine: Answer = [200, {}];
const gone: Answer = [404, { message: "not found" }];
const forbidden: Answer = [403, { message: "namespaces is forbidden" }];
const linuxService = selectRows(["linux-pod-to-linux-service"]);

/** A whole run against a cluster of one Linux node that takes everything. */
async function run(
  changes: Partial<SessionOptions>,
  { keep = false, stuck = false } = {},
): Promise<{ end?: VerifyEnd; error?: Error; requests: readonly string[]; lines: string[] }> {
  let there = false;
  const lines: string[] = [];
  let ended: { end?: VerifyEnd; error?: Error; requests: readonly string[] } = { requests: [] };
  await withFakeApi(
    (request) => {
      if (request === "POST /api/v1/namespaces") there = true;
      if (request === `DELETE ${path}`) {
        if (stuck) return forbidden;
        there = false;
      }
      return request === `GET ${path}` && !there ? gone : [200, { items: [] }];
    },
    async (api, requests) => {
      const options: SessionOptions = {
        ...{ api, kubectl: "true", kubeconfig: "/none", image: "image", timeoutSeconds: 1 },
        facts: { nodes: [linuxNode], rehearsal: true },
        rows: selectRows(["windows-pod-to-host"]),
        signal: new AbortController().signal,
        say: (line) => lines.push(line),
        ...changes,
      };
      ended = await verifyCluster(options, keep).then(
        (end) => ({ end, requests }),
        (error: Error) => ({ error, requests }),
      );
    },
  );
  return { ...ended, lines };
}

describe("a run", () => {
  it("gives results, and leaves nothing", async () => {
    const { end, requests, lines } = await run({});
    const statuses = end?.results?.map(({ status }) => status);
    assert.deepEqual(statuses, ["not-runnable"]);
    assert.equal(end?.leftBehind, undefined);
    assert.match(lines[0] ?? "", /^0 of 1 rows can be run here; making the namespace/);
    assert.ok(requests.includes(`DELETE ${path}`));
  });

  it("leaves everything where it is to be kept, and says how it goes", async () => {
    const { end, requests, lines } = await run({}, { keep: true });
    assert.ok(end?.results);
    assert.ok(!requests.includes(`DELETE ${path}`));
    const last = lines.at(-1) ?? "";
    assert.match(last, /^kept: the namespace kindows-verify; `kubectl delete namespace/);
  });

  it("leaves nothing where what the rows need cannot be made", async () => {
    const { error, requests } = await run({ kubectl: "false", rows: linuxService });
    assert.match(error?.message ?? "", /^what the rows need could not be made/);
    assert.ok(requests.includes(`DELETE ${path}`));
  });

  it("has no results and leaves nothing when it is interrupted, whatever broke by that", async () => {
    for (const kubectl of ["true", "false"]) {
      const signal = AbortSignal.abort();
      const { end, requests } = await run({ kubectl, rows: linuxService, signal });
      assert.deepEqual(end, {});
      assert.ok(requests.includes(`DELETE ${path}`));
    }
  });

  it("tells what it could not remove, and gives its results all the same", async () => {
    const { end, lines } = await run({}, { stuck: true });
    assert.ok(end?.results);
    assert.equal(end.leftBehind, "namespaces is forbidden");
    assert.equal(lines.at(-1), "not removed: namespaces is forbidden");
  });
});

describe("a view of the cluster", () => {
  it("is one look for all who wait, and a new one for who asks later", async () => {
    let reads = 0;
    const read = () => Promise.resolve({ ...healthy, reads: ++reads });
    const view = new ClusterView(read, 5);
    const [one, other] = await Promise.all([view.look(), view.look()]);
    assert.equal(one, other);
    assert.equal(reads, 1);
    await view.look();
    assert.equal(reads, 2);
  });

  it("is trouble where the cluster does not answer, and goes on", async () => {
    let answers = false;
    const read = () => (answers ? Promise.resolve(healthy) : Promise.reject(new Error("refused")));
    const view = new ClusterView(read, 5);
    assert.deepEqual(await view.look(), { trouble: "refused" });
    answers = true;
    assert.deepEqual(await view.look(), { snapshot: healthy });
  });
});

describe("the namespace of a run", () => {
  const unheard = (): void => undefined;

  it("is made, and pods can be made in it from then on", async () =>
    await withFakeApi(
      (request) => (request === `GET ${path}` ? gone : fine),
      async (api, requests) => {
        await createNamespace(api, () => assert.fail("nothing to say"));
        assert.deepEqual(requests, [
          ...[`GET ${path}`, "POST /api/v1/namespaces", `GET ${path}/serviceaccounts/default`],
        ]);
      },
    ));

  it("takes the place of what an earlier run left", async () => {
    let there = true;
    const lines: string[] = [];
    await withFakeApi(
      (request) => {
        if (request === `DELETE ${path}`) there = false;
        return request === `GET ${path}` && !there ? gone : fine;
      },
      async (api, requests) => {
        await createNamespace(api, (line) => lines.push(line));
        assert.ok(requests.indexOf(`DELETE ${path}`) < requests.indexOf("POST /api/v1/namespaces"));
      },
    );
    const [first = ""] = lines;
    assert.match(first, /^removing the namespace kindows-verify that an earlier run left$/);
  });

  it("is gone when it is removed, also where it was not there", async () =>
    await withFakeApi(
      () => gone,
      async (api, requests) => {
        await removeNamespace(api, unheard);
        assert.deepEqual(requests, [`DELETE ${path}`, `GET ${path}`]);
      },
    ));

  it("is rid of pods whose node does not answer, and of those only", async () => {
    const deleted: string[] = [];
    const pod = (name: string, nodeName: string): object => ({
      metadata: { name, deletionTimestamp: "2026-11-22T00:00:00Z" },
      spec: { nodeName },
    });
    const node = (name: string, status: string): object => ({
      metadata: { name },
      status: { conditions: [{ type: "Ready", status, message: "stopped" }] },
    });
    const answers: Readonly<Record<string, Answer>> = {
      [`GET ${path}/pods`]: [200, { items: [pod("lost", "b"), pod("ending", "a")] }],
      "GET /api/v1/nodes": [200, { items: [node("a", "True"), node("b", "Unknown")] }],
    };
    await withFakeApi(
      (request) => {
        if (request.startsWith(`DELETE ${path}/pods/`)) deleted.push(request);
        const isGone = request === `GET ${path}` && deleted.length > 0;
        return isGone ? gone : (answers[request] ?? fine);
      },
      (api) => removeNamespace(api, unheard),
    );
    assert.deepEqual(deleted, [`DELETE ${path}/pods/lost`]);
  });

  it("is left with the server's reason where it does not let it be removed", () =>
    withFakeApi(
      () => forbidden,
      (api) => assert.rejects(removeNamespace(api, unheard), /namespaces is forbidden/),
    ));
});

describe("the server on this host", () => {
  it("tells who asks, in words of this run", async () => {
    const server = await startHostServer("127.0.0.1");
    try {
      const answer = await (await fetch(server.url)).text();
      assert.equal(answer, `${server.greeting}127.0.0.1`);
      const other = await startHostServer("127.0.0.1");
      assert.notEqual(other.greeting, server.greeting);
      await other.stop();
    } finally {
      await server.stop();
    }
    await assert.rejects(fetch(server.url));
  });

  it("is not started on an address of another host", () =>
    assert.rejects(startHostServer("192.0.2.1"), /EADDRNOTAVAIL/));
});
