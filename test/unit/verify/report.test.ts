import assert from "node:assert/strict";
import { XMLValidator } from "fast-xml-parser";

import { htmlText } from "../../../verify/report/html.ts";
import { jsonText } from "../../../verify/report/json.ts";
import { junitText } from "../../../verify/report/junit.ts";
import { terminalText } from "../../../verify/report/terminal.ts";
import { isGood, type RowResult, type Status, type Verification } from "../../../verify/result.ts";
import { allRows } from "../../../verify/rows/select.ts";

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
      seen: "curl: (7) Connection refused",
      seconds: 30.1,
    }),
    result("windows-settings", "rehearsed", { reason: "containers are modelled" }),
    ...["windows-pod-to-linux-pod", "windows-pod-to-windows-pod-name"].map((id) =>
      result(id, "not-runnable", { reason: "needs Windows: x", seconds: 0 }),
    ),
  ],
};

describe("how a run came out", () => {
  for (const [what, statuses, expected] of [
    ["is good when all passed", ["passed", "passed"], true],
    ["is good when the rest could not be run", ["passed", "not-runnable", "rehearsed"], true],
    ["is bad when one failed", ["passed", "failed"], false],
    ["is bad when nothing passed", ["not-runnable", "rehearsed"], false],
    ["is bad when there was nothing", [], false],
  ] as const) {
    it(what, () => {
      assert.equal(isGood(statuses.map((status) => result("linux-pod-to-host", status))), expected);
    });
  }
});

describe("the table on a terminal", () => {
  it("has what was run, why what failed did, and the rest by its reason", () =>
    assert.equal(
      terminalText(verification, false),
      `           ROW                         TIME    WHAT
ok         linux-pod-to-host            1.3 s  Linux pod to this host, out of the cluster
FAILED     linux-pod-to-linux-service  30.1 s  Linux pod to Linux service by address
rehearsed  windows-settings             1.3 s  secret, config map, emptyDir and hostPath in a Windows pod

FAILED linux-pod-to-linux-service: the Service linux has no endpoints: "<none>" & so on
  tried  kubectl exec x -- curl http://10.96.1.1
  seen   curl: (7) Connection refused

rehearsed: containers are modelled
  windows-settings
not runnable here: needs Windows: x
  windows-pod-to-linux-pod, windows-pod-to-windows-pod-name

1 passed, 1 failed, 1 rehearsed, 2 not runnable here (12 s)
rehearsal: Windows is simulated, and nothing here was tested on it`,
    ));

  it("has colours where they are wanted, and the same words", () => {
    const coloured = terminalText(verification, true);
    assert.match(coloured, /\u001b\[32mok\s*\u001b\[39m/);
    assert.match(coloured, /\u001b\[31mFAILED\s*\u001b\[39m/);
    assert.equal(coloured.replace(/\u001b\[\d+m/g, ""), terminalText(verification, false));
  });

  it("is not there where nothing could be run", () => {
    const none = { ...verification, results: verification.results.slice(3) };
    assert.doesNotMatch(terminalText(none, false), /ROW/);
  });
});

describe("the results as JSON", () => {
  it("have every row with how it came out", () => {
    const parsed = JSON.parse(jsonText(verification)) as {
      good: boolean;
      started: string;
      counts: Record<string, number>;
      rows: { id: string; status: string; seen: string; tried: string[]; target?: unknown }[];
    };
    assert.deepEqual([parsed.good, parsed.started], [false, "2026-11-22T01:02:03.456Z"]);
    assert.deepEqual(parsed.counts, { passed: 1, failed: 1, rehearsed: 1, "not-runnable": 2 });
    assert.deepEqual(
      parsed.rows.map(({ id, status }) => `${id} ${status}`),
      verification.results.map(({ row, status }) => `${row.id} ${status}`),
    );
    assert.deepEqual(parsed.rows[1]?.tried, ["kubectl exec x -- curl http://10.96.1.1"]);
    assert.deepEqual(parsed.rows[1]?.target, { to: "service", os: "linux", by: "address" });
  });
});

describe("the results as JUnit's XML", () => {
  const xml = junitText(verification);

  it("count what was not shown as skipped, never as passed", () => {
    const counts = /<testsuite name="kindows verify" tests="5" failures="1" errors="0" skipped="3"/;
    assert.match(xml, counts);
    assert.equal([...xml.matchAll(/<testcase [^>]*\/>/g)].length, 1);
    assert.equal([...xml.matchAll(/<skipped message="/g)].length, 3);
    assert.match(xml, /<skipped message="rehearsed: containers are modelled"\/>/);
  });

  it("are well-formed whatever a reason holds", () => {
    assert.match(xml, /linux has no endpoints: &quot;&lt;none&gt;&quot; &amp; so on"/);
    const odd = [result("mixed-shop", "failed", { seen: "a\u0000\u001bb]]>" })];
    assert.match(junitText({ ...verification, results: odd }), /seen: a\uFFFD\uFFFDb\]\]&gt;/);
    assert.equal(XMLValidator.validate(xml), true);
  });
});

describe("the page", () => {
  const html = htmlText(verification);

  it("loads nothing and runs nothing", () =>
    assert.doesNotMatch(html, /<script|<link|<img|@import|url\(|src=|https?:\/\/(?!y|10\.96)/));

  it("has one box in the matrix for each path, with its reason", () => {
    assert.equal([...html.matchAll(/<td class="cell[^"]*">/g)].length, 4);
    assert.match(html, /"box failed" title="Linux pod to Linux service by address: failed\. the S/);
    assert.match(html, /class="box not-runnable" title="[^"]*needs Windows: x"/);
  });

  it("leads from a box that failed to why", () => {
    assert.match(html, /<a href="#linux-pod-to-linux-service">/);
    assert.match(html, /<section class="failure" id="linux-pod-to-linux-service">/);
  });

  it("shows nothing as markup that is not ours", () => {
    assert.match(html, /Debian &lt;12&gt;/);
    assert.doesNotMatch(html, /"<none>"/);
  });

  it("says that it was a rehearsal, and only then", () => {
    assert.match(html, /A rehearsal: Windows is simulated/);
    assert.doesNotMatch(htmlText({ ...verification, rehearsal: false }), /rehearsal: Windows/i);
  });
});
