import assert from "node:assert/strict";

import { ClusterView } from "../../../verify/cluster/view.ts";
import { selectRows } from "../../../verify/rows/select.ts";
import type { SessionOptions } from "../../../verify/run/session.ts";
import { verifyCluster } from "../../../verify/verify.ts";
import type { VerifyEnd } from "../../../verify/verify.ts";
import { withFakeApi } from "../controlplane/fake-api.ts";
import { healthy, linuxNode } from "./cluster-states.ts";

const path = "/api/v1/namespaces/kindows-verify";

interface Run {
  readonly end?: VerifyEnd;
  readonly error?: Error;
  readonly requests: readonly string[];
  readonly lines: readonly string[];
}

/** A whole run against a cluster of one Linux node that takes everything. */
async function run(
  changes: Partial<SessionOptions>,
  { keep = false, stuck = false } = {},
): Promise<Run> {
  let there = false;
  const lines: string[] = [];
  let seen: Omit<Run, "requests" | "lines"> = {};
  let all: readonly string[] = [];
  await withFakeApi(
    (request) => {
      if (request === "POST /api/v1/namespaces") there = true;
      if (request === `DELETE ${path}`) {
        if (stuck) return [403, { message: "namespaces is forbidden" }];
        there = false;
      }
      return request === `GET ${path}` && !there ? [404, {}] : [200, { items: [] }];
    },
    async (api, requests) => {
      all = requests;
      const options: SessionOptions = {
        api,
        kubectl: "true",
        kubeconfig: "/none",
        facts: { nodes: [linuxNode], rehearsal: true },
        rows: selectRows(["windows-pod-to-host"]),
        image: "image",
        timeoutSeconds: 1,
        signal: new AbortController().signal,
        say: (line) => lines.push(line),
        ...changes,
      };
      try {
        seen = { end: await verifyCluster(options, keep) };
      } catch (error) {
        seen = { error: error as Error };
      }
    },
  );
  return { ...seen, requests: all, lines };
}

describe("a run", () => {
  it("gives results, and leaves nothing", async () => {
    const { end, requests, lines } = await run({});
    assert.deepEqual(
      end?.results?.map(({ status }) => status),
      ["not-runnable"],
    );
    assert.equal(end.leftBehind, undefined);
    assert.match(lines[0] ?? "", /^0 of 1 rows can be run here; making the namespace/);
    assert.ok(requests.includes(`DELETE ${path}`));
  });

  it("leaves everything where it is to be kept, and says how it goes", async () => {
    const { end, requests, lines } = await run({}, { keep: true });
    assert.ok(end?.results);
    assert.ok(!requests.includes(`DELETE ${path}`));
    assert.match(
      lines.at(-1) ?? "",
      /^kept: the namespace kindows-verify; `kubectl delete namespace/,
    );
  });

  it("leaves nothing where what the rows need cannot be made", async () => {
    const { error, requests } = await run({
      kubectl: "false",
      rows: selectRows(["linux-pod-to-linux-service"]),
    });
    assert.match(error?.message ?? "", /^what the rows need could not be made/);
    assert.ok(requests.includes(`DELETE ${path}`));
  });

  it("has no results and leaves nothing when it is interrupted, whatever broke by that", async () => {
    for (const kubectl of ["true", "false"]) {
      const { end, requests } = await run({
        kubectl,
        rows: selectRows(["linux-pod-to-linux-service"]),
        signal: AbortSignal.abort(),
      });
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
    const view = new ClusterView(
      () => Promise.resolve({ ...healthy, pods: [], reads: ++reads }),
      5,
    );
    const [one, other] = await Promise.all([view.look(), view.look()]);
    assert.equal(one, other);
    assert.equal(reads, 1);
    await view.look();
    assert.equal(reads, 2);
  });

  it("is trouble where the cluster does not answer, and goes on", async () => {
    let answers = false;
    const view = new ClusterView(
      () => (answers ? Promise.resolve(healthy) : Promise.reject(new Error("refused"))),
      5,
    );
    assert.deepEqual(await view.look(), { trouble: "refused" });
    answers = true;
    assert.deepEqual(await view.look(), { snapshot: healthy });
  });
});
