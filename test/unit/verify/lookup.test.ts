import assert from "node:assert/strict";

import { whyFailed } from "../../../verify/diagnose/diagnose.ts";
import { pathRows } from "../../../verify/rows/paths.ts";
import type { FailureKind } from "../../../verify/run/probe-failure.ts";
import { judgeLookup, lookupOf, lookupUrl } from "../../../verify/run/lookup.ts";
import { planRow } from "../../../verify/run/plan.ts";
import type { Probe } from "../../../verify/run/probe.ts";
import { healthy, onHosts, slice, systemPod, waitingPod } from "./cluster-states.ts";

const name = "linux.kindows-verify.svc.cluster.local";

function lookup(): Probe {
  const row = pathRows.find(({ id }) => id === "windows-node-to-cluster-dns");
  assert.ok(row);
  const plan = planRow(row, onHosts, { internet: { url: "http://www.example.test/", text: "x" } });
  assert.ok("ready" in plan && plan.ready[0]);
  return plan.ready[0];
}

describe("a question to a DNS server", () => {
  it("is told from a request for a page", () => {
    assert.deepEqual(lookupOf({ url: lookupUrl("10.96.0.10", name) }), {
      server: "10.96.0.10",
      name,
    });
    assert.equal(lookupOf({ url: "http://10.96.0.10:80/hostname" }), undefined);
  });

  const server = "Server:  UnKnown\r\nAddress:  10.96.0.10\r\n\r\n";
  const answer = `${server}Name:    ${name}\r\nAddress:  10.96.1.1\r\n\r\n`;
  const ends: readonly [
    what: string,
    exitCode: number | undefined,
    stdout: string,
    stderr: string,
    kind: FailureKind | undefined,
  ][] = [
    ["the right answer", 0, answer, "", undefined],
    ["another address", 0, answer.replace("10.96.1.1", "10.96.1.9"), "", "answer"],
    [
      "no such name, by Windows",
      0,
      server,
      `*** UnKnown can't find ${name}: Non-existent domain`,
      "name",
    ],
    ["no such name, by BIND", 1, `** server can't find ${name}: NXDOMAIN\n`, "", "name"],
    [
      "no answer, by Windows, which ends well",
      0,
      `DNS request timed out.\r\n    timeout was 4 seconds.\r\n${server}`,
      "*** Request to UnKnown timed-out",
      "lost",
    ],
    ["no answer, by BIND", 1, ";; connection timed out; no servers could be reached\n", "", "lost"],
    [
      "a refusal",
      1,
      ";; communications error to 10.96.0.10#53: connection refused\n",
      "",
      "refused",
    ],
    ["no route", 1, "", "*** UnKnown can't be asked: network is unreachable", "unreachable"],
    ["no such program", 127, "", "error: exec failed: nslookup: not found", "exec"],
    ["a pod that is gone", 1, "", 'Error from server (NotFound): pods "x" not found', "exec"],
    ["no end", undefined, server, "no end within 44 s", "exec"],
  ];
  for (const [what, exitCode, stdout, stderr, kind] of ends) {
    it(`that ends with ${what}`, () => {
      const failure = judgeLookup(lookup(), { exitCode, stdout, stderr });
      assert.equal(failure?.kind, kind);
      if (failure) assert.notEqual(failure.text, "");
    });
  }

  it("that fails without a server to answer it is put down to that", () => {
    const lost = { kind: "lost", text: "timed out" } as const;
    const broken = waitingPod(
      systemPod("coredns-1", "kube-dns", "linux-a", false),
      "CrashLoopBackOff",
      "back-off",
    );
    const details = { ...onHosts, dnsSlices: [slice("kube-dns", [])], systemPods: [broken] };
    assert.match(
      whyFailed(lookup(), lost, details),
      new RegExp(`^the name ${name} is not resolved: cluster DNS .* CrashLoopBackOff`),
    );
    assert.equal(
      whyFailed(lookup(), lost, { ...onHosts, dnsSlices: healthy.dnsSlices }),
      `no answer within 4 s from windows-node-win-1 on win-1 to dns://10.96.0.10/${name}: packets get lost on the way`,
    );
  });
});
