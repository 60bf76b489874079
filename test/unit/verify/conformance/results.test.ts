import assert from "node:assert/strict";
import type { V1Pod } from "@kubernetes/client-node";

import { podState } from "../../../../verify/conformance/pod-state.ts";
import { failedTests, totals } from "../../../../verify/conformance/readable-results.ts";

const junit = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="7000" disabled="6997" errors="0" failures="1" time="60">
  <testsuite name="Kubernetes e2e suite" tests="7000" disabled="6990" skipped="7" errors="0" failures="1" time="60">
    <testcase name="[It] [sig-windows] a &quot;good&quot; one" status="passed" time="1"></testcase>
    <testcase name="[It] left out" status="skipped" time="0"><skipped message="skipped"></skipped></testcase>
    <testcase name="[It] [sig-windows] a &lt;bad&gt; one" status="failed" time="2">
      <failure message="timed out" type="failed">...</failure>
    </testcase>
  </testsuite>
</testsuites>`;

describe("results of conformance", () => {
  it("are added up, what the focus leaves out apart", () => {
    assert.deepEqual(totals([junit]), { tests: 7000, failures: 1, errors: 0, skipped: 6997 });
    assert.equal(totals([junit, junit]).failures, 2);
  });

  it("are none where the focus fits no test: what Ginkgo does around all of them is no test", () => {
    // As ginkgo 2.28 and e2e.test of Kubernetes 1.36.4 write it.
    const around = (names: readonly string[], status: string): string =>
      names
        .map((name) => `<testcase name="${name}" classname="x" status="${status}" time="0">`)
        .join("</testcase>");
    const names = ["[ReportBeforeSuite]", "[ReportBeforeSuite]", "[ReportAfterSuite] Log Check"];
    const before = ["[SynchronizedBeforeSuite]", "[SynchronizedAfterSuite]"];
    const file = (all: string): string =>
      `<testsuite name="x" tests="7584" disabled="0" skipped="7579" errors="0" failures="0">${all}</testcase></testsuite>`;
    const expected = { tests: 7579, failures: 0, errors: 0, skipped: 7579 };
    assert.deepEqual(totals([file(around([...before, ...names], "passed"))]), expected);
    const half = `<testsuite tests="12" skipped="11" errors="0" failures="1">${around(["[BeforeSuite]"], "failed")}</testcase>${around(["[AfterSuite]"], "skipped")}</testcase></testsuite>`;
    assert.deepEqual(totals([half]), { tests: 11, failures: 1, errors: 0, skipped: 10 });
  });

  it("name what failed, as it is called, and each once", () => {
    assert.deepEqual(failedTests([junit, junit], 5), ["[It] [sig-windows] a <bad> one"]);
    assert.deepEqual(failedTests([junit], 0), []);
  });

  it("are none where there is no file, or one of another kind", () => {
    assert.throws(() => totals([]), /did not come to their end/);
    assert.throws(() => totals(["<html></html>"]), /none of JUnit's/);
  });
});

describe("the pod with the tests", () => {
  const pod = (state: object, phase = "Running"): V1Pod => ({
    status: { phase, containerStatuses: [{ name: "tests", ...state } as never] },
  });
  const unscheduled = { type: "PodScheduled", status: "False", message: "0/1 nodes" };
  const pulling = { reason: "ImagePullBackOff", message: "not found" };
  const late = { phase: "Failed", reason: "DeadlineExceeded", message: "too long" };
  const cases: Readonly<Record<string, readonly [V1Pod[], object]>> = {
    "is not made yet": [[], { kind: "waiting", seen: "the Job has made no pod yet" }],
    "has no place": [
      [{ status: { phase: "Pending", conditions: [unscheduled] } }],
      { kind: "waiting", seen: "0/1 nodes" },
    ],
    "waits for an image": [
      [pod({ state: { waiting: pulling } })],
      { kind: "waiting", seen: "ImagePullBackOff: not found" },
    ],
    runs: [[pod({ state: { running: {} } })], { kind: "running" }],
    "has ended": [
      [pod({ state: { terminated: { exitCode: 7 } } })],
      { kind: "ended", exitCode: 7 },
    ],
    "was ended by its deadline": [
      [{ status: late }],
      { kind: "failed", why: "DeadlineExceeded: too long" },
    ],
  };
  for (const [what, [pods, expected]] of Object.entries(cases)) {
    it(what, () => assert.deepEqual(podState(pods), expected));
  }
});
