import assert from "node:assert/strict";
import { XMLValidator } from "fast-xml-parser";

import { startHostServer } from "../../../verify/cluster/outside.ts";
import { htmlText } from "../../../verify/report/html.ts";
import { jsonText } from "../../../verify/report/json.ts";
import { junitText } from "../../../verify/report/junit.ts";
import { terminalText } from "../../../verify/report/terminal.ts";
import {
  shortcoming,
  type RowResult,
  type Status,
  type Verification,
} from "../../../verify/result.ts";
import { allRows, selectRows } from "../../../verify/rows/select.ts";
import { createNamespace, removeNamespace } from "../../../verify/run/own-namespace.ts";
import { verifyCluster, type VerifyEnd, type SessionOptions } from "../../../verify/verify.ts";
import { type Answer, withFakeApi } from "../controlplane/fake-api.ts";
import { assertGolden } from "../controlplane/golden.ts";
import { eachCase } from "../each-case.ts";
import { linuxNode } from "./cluster-states.ts";

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
        api,
        kubectl: "true",
        kubeconfig: "/none",
        image: "image",
        timeoutSeconds: 1,
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
    assert.match(lines[0] ?? "", /^0 of 1 rows can be run here; creating the namespace/);
    assert.ok(requests.includes(`DELETE ${path}`));
  });

  it("leaves everything where it is to be kept, and says how it goes", async () => {
    const { end, requests, lines } = await run({}, { keep: true });
    assert.ok(end?.results);
    assert.ok(!requests.includes(`DELETE ${path}`));
    const last = lines.at(-1) ?? "";
    assert.match(
      last,
      /^kept the namespace kindows-verify; remove it with `kubectl delete namespace/,
    );
  });

  it("leaves nothing where what the rows need cannot be made", async () => {
    const { error, requests } = await run({ kubectl: "false", rows: linuxService });
    assert.match(error?.message ?? "", /^what the rows need could not be created/);
    assert.ok(requests.includes(`DELETE ${path}`));
  });

  it("has no results and leaves nothing when it is interrupted, whatever broke by that", async () => {
    for (const kubectl of ["true", "false"]) {
      const signal = AbortSignal.abort();
      const { end, requests } = await run({ kubectl, rows: linuxService, signal });
      assert.deepEqual(end, { results: undefined, leftBehind: undefined });
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

function result(id: string, status: Status, reported: Partial<RowResult> = {}): RowResult {
  const row = allRows.find((each) => each.id === id);
  assert.ok(row, id);
  return { row, status, reason: "", tried: [], seen: "", seconds: 1.25, ...reported };
}

const verification: Verification = {
  stack: "rehearsal",
  lab: "kindows-rehearsal",
  rehearsal: true,
  nodes: [
    { name: "linux-a", os: "linux", version: "v1.36.4", system: "Debian <12>" },
    { name: "win-1", os: "windows", version: "v1.36.4", system: "Windows Server 2022" },
  ],
  started: new Date("2026-11-22T01:02:03.456Z"),
  seconds: 12.34,
  results: [
    result("linux-pod-to-host", "passed", { tried: ["kubectl exec x -- curl http://y"] }),
    result("linux-pod-to-linux-service", "failed", {
      reason: 'the Service linux has no endpoints: "<none>" & so on',
      tried: ["kubectl exec x -- curl http://10.96.1.1"],
      seen: "curl: (7) Connection refused ]]>",
      seconds: 30.1,
    }),
    result("linux-node-to-cluster-dns", "passed", {
      seen: "try 1: no answer after 8.2 s, try 2: answered after 6.0 s",
    }),
    result("windows-settings", "rehearsed", { reason: "containers are modelled" }),
    ...["windows-pod-to-linux-pod", "windows-pod-to-windows-pod-name"].map((id) =>
      result(id, "not-runnable", { reason: "needs Windows: x", seconds: 0 }),
    ),
  ],
};

describe("how a run came out", () => {
  for (const [what, statuses, expected] of [
    ["is good when all passed", ["passed", "passed"], undefined],
    ["is good when the rest could not be run", ["passed", "not-runnable", "rehearsed"], undefined],
    ["is bad when one failed", ["passed", "failed"], /not every path .* works/],
    ["is bad when nothing passed", ["not-runnable", "rehearsed"], /no path .* tested for real/],
    ["is bad when there was nothing", [], /no path .* tested for real/],
  ] as const) {
    it(what, () => {
      const why = shortcoming(statuses.map((status) => result("linux-pod-to-host", status)));
      if (expected === undefined) assert.equal(why, undefined);
      else assert.match(why ?? "", expected);
    });
  }

  const page = htmlText(verification);
  const xml = junitText(verification);
  const forms: Readonly<Record<string, string>> = {
    "terminal.txt": terminalText(verification, false),
    "results.json": jsonText(verification),
    "junit.xml": xml,
    "page.html": page.replace(/<style>.*<\/style>\n/s, ""),
  };
  eachCase("is shown as in golden/%s", forms, (text, name) =>
    assertGolden(new URL(import.meta.url), name, text),
  );

  it("has no table on a terminal where nothing could be run", () => {
    const none = { ...verification, results: verification.results.slice(4) };
    assert.doesNotMatch(terminalText(none, false), /ROW/);
  });

  it("is well-formed XML whatever a program has printed", () => {
    assert.equal(XMLValidator.validate(xml), true);
    const odd = [result("mixed-shop", "failed", { seen: "a\u0000\u001bb" })];
    assert.match(junitText({ ...verification, results: odd }), /seen: a\uFFFD\uFFFDb/);
  });

  it("is a page that loads and runs nothing, and mentions a rehearsal only after one", () => {
    assert.doesNotMatch(page, /<script|<link|<img|@import|url\(|src=|https?:\/\/(?!y|10\.96)/);
    assert.doesNotMatch(htmlText({ ...verification, rehearsal: false }), /rehearsal: Windows/i);
  });
});
