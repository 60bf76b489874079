import assert from "node:assert/strict";

import type { Facts } from "../../../verify/cluster/facts.ts";
import { allRows } from "../../../verify/rows/all.ts";
import { columnGroups, columnOf } from "../../../verify/report/matrix.ts";
import { pathRows } from "../../../verify/rows/paths.ts";
import { rowTitle, sourceName } from "../../../verify/rows/row.ts";
import { needsHostProcess, needsText, whyNot } from "../../../verify/rows/runnable.ts";
import { selectRows } from "../../../verify/rows/select.ts";
import { fullFacts, linuxNode, otherLinuxNode, windowsNode } from "./cluster-states.ts";

/** The connectivity table of pablodav/kubernetes-for-windows, and the rows that show each line of it. */
const firstTable: Readonly<Record<string, readonly string[]>> = {
  "Windows pods, by address": [
    "windows-pod-to-windows-pod-same-node",
    "windows-pod-to-windows-pod-other-node",
  ],
  "Windows pods, by name": ["windows-pod-to-windows-pod-name"],
  "Windows and Linux pods, by address": ["windows-pod-to-linux-pod", "linux-pod-to-windows-pod"],
  "Windows and Linux pods, by name": [
    "windows-pod-to-linux-pod-name",
    "linux-pod-to-windows-pod-name",
  ],
  "Linux pods, by address": [
    "linux-pod-to-linux-pod-same-node",
    "linux-pod-to-linux-pod-other-node",
  ],
  "Linux pods, by name": ["linux-pod-to-linux-pod-name"],
  "Linux pod and Windows service, by address": ["linux-pod-to-windows-service"],
  "Linux pod and Windows service, by name": ["linux-pod-to-windows-service-name"],
  "Windows pod and Linux service, by address": ["windows-pod-to-linux-service"],
  "Windows pod and Linux service, by name": ["windows-pod-to-linux-service-name"],
  "NodePort by a Windows node": [
    "outside-to-windows-service-windows-node",
    "outside-to-linux-service-windows-node",
  ],
  "NodePort by a Linux node": [
    "outside-to-windows-service-linux-node",
    "outside-to-linux-service-linux-node",
  ],
  "out of Linux pods": ["linux-pod-to-host", "linux-pod-to-internet"],
  "out of Windows pods": ["windows-pod-to-host", "windows-pod-to-internet"],
};

/** The lines of lippertmarkus/vagrant-k8s-win-hostprocess' networking-tests.md. */
const secondTable: Readonly<Record<string, readonly string[]>> = {
  "lin node -> win pod": ["linux-node-to-windows-pod"],
  "lin node -> lin pod": ["linux-node-to-linux-pod"],
  "lin node -> win svc": ["linux-node-to-windows-service"],
  "lin node -> lin svc": ["linux-node-to-linux-service"],
  "win node -> win pod": ["windows-node-to-windows-pod"],
  "win node -> lin pod": ["windows-node-to-linux-pod"],
  "win node -> lin svc": ["windows-node-to-linux-service"],
  "win node -> win svc": ["windows-node-to-windows-service"],
  "lin pod -> lin pod": ["linux-pod-to-linux-pod-same-node", "linux-pod-to-linux-pod-other-node"],
  "lin pod -> win pod": ["linux-pod-to-windows-pod"],
  "lin pod -> lin svc (with dns)": ["linux-pod-to-linux-service-name"],
  "lin pod -> win svc (with dns)": ["linux-pod-to-windows-service-name"],
  "win pod -> lin pod": ["windows-pod-to-linux-pod"],
  "win pod -> win pod": [
    "windows-pod-to-windows-pod-same-node",
    "windows-pod-to-windows-pod-other-node",
  ],
  "win pod -> lin svc (with dns)": ["windows-pod-to-linux-service-name"],
  "win pod -> win svc (with dns)": ["windows-pod-to-windows-service-name"],
  "lin pod -> internet (with dns)": ["linux-pod-to-internet"],
  "win pod -> internet (with dns)": ["windows-pod-to-internet"],
  "external -> node-port svc via controlplane": ["outside-to-windows-service-linux-node"],
  "external -> node-port svc via win-worker": ["outside-to-windows-service-windows-node"],
};

describe("the rows", () => {
  const ids = allRows.map(({ id }) => id);

  it("have an id and a title of their own each", () => {
    assert.equal(new Set(ids).size, ids.length);
    const titles = allRows.map(rowTitle);
    assert.equal(new Set(titles).size, titles.length);
    for (const id of ids) assert.match(id, /^[a-z]+(-[a-z]+)+$/);
  });

  for (const [what, wanted] of Object.entries({ ...firstTable, ...secondTable })) {
    it(`show "${what}"`, () => {
      assert.deepEqual(
        wanted.filter((id) => !ids.includes(id)),
        [],
      );
    });
  }

  it("have a place of their own in the matrix each", () => {
    const known = columnGroups.flatMap(({ columns }) => columns.map(({ key }) => key));
    const places = pathRows.map((row) => `${sourceName(row.from)} / ${columnOf(row)}`);
    assert.equal(new Set(places).size, places.length);
    for (const row of pathRows) assert.ok(known.includes(columnOf(row)), row.id);
  });
});

describe("choosing rows", () => {
  it("takes all where none is named", () => {
    assert.equal(selectRows([]).length, allRows.length);
  });

  it("takes ids and patterns, in the table's order", () => {
    const chosen = selectRows(["mixed-shop", "*-to-internet"]).map(({ id }) => id);
    assert.deepEqual(chosen, [
      "linux-pod-to-internet",
      "windows-pod-to-internet",
      "windows-node-to-internet",
      "mixed-shop",
    ]);
  });

  it("tells every name that no row has, and the nearest one", () => {
    assert.throws(
      () => selectRows(["linux-pod-to-hosts", "mixed-*", "shop"]),
      /"linux-pod-to-hosts" \(did you mean linux-pod-to-host\?\), "shop"/,
    );
  });
});

describe("what a row needs", () => {
  const texts: Readonly<Record<string, string>> = {
    "linux-pod-to-linux-pod-other-node": "two Linux nodes",
    "windows-pod-to-windows-pod-other-node": "two Windows nodes, Windows pods with a network",
    "linux-pod-to-windows-service": "a Linux node, Windows pods with a network",
    "windows-node-to-linux-pod": "a Linux node, a HostProcess container on Windows",
    "linux-pod-to-windows-host-service": "a Linux node, a HostProcess container on Windows",
    "windows-node-to-cluster-dns": "a Linux node, a HostProcess container on Windows",
    "linux-node-to-cluster-dns": "a Linux node",
    "outside-to-linux-service-windows-node": "a Linux node, kube-proxy on Windows",
    "linux-pod-to-internet": "a Linux node, the internet",
    "windows-settings": "a Windows container",
    "mixed-shop": "Windows pods with a network",
  };
  for (const [id, expected] of Object.entries(texts)) {
    it(`is said of ${id}`, () => {
      assert.equal(needsText(selectRows([id])[0] ?? assert.fail(id)), expected);
    });
  }
});

describe("what can be run", () => {
  const rehearsal: Facts = {
    nodes: [linuxNode, windowsNode],
    rehearsal: true,
    noWindowsPodNetwork: "needs a pod network on Windows",
    noInternet: "needs internet: none",
  };

  function reasons(facts: Facts): Readonly<Record<string, string>> {
    return Object.fromEntries(
      allRows.flatMap((row) => {
        const reason = whyNot(row, facts);
        return reason === undefined ? [] : [[row.id, reason]];
      }),
    );
  }

  it("is everything in a cluster that has everything", () => {
    assert.deepEqual(reasons(fullFacts), {});
  });

  it("is in a rehearsal nothing that would need Windows", () => {
    const told = reasons(rehearsal);
    const run = allRows.filter(({ id }) => told[id] === undefined).map(({ id }) => id);
    assert.deepEqual(run, [
      "linux-pod-to-linux-pod-same-node",
      "linux-pod-to-linux-pod-name",
      "linux-pod-to-linux-service",
      "linux-pod-to-linux-service-name",
      "linux-pod-to-linux-node-port",
      "linux-pod-to-linux-host-port",
      "linux-pod-to-windows-host-pod",
      "linux-pod-to-windows-host-service",
      "linux-pod-to-windows-host-service-name",
      "linux-pod-to-host",
      "linux-node-to-linux-pod",
      "linux-node-to-linux-service",
      "linux-node-to-windows-host-pod",
      "linux-node-to-windows-host-service",
      "windows-node-to-linux-node-port",
      "windows-node-to-linux-host-pod",
      "windows-node-to-windows-host-pod",
      "windows-node-to-host",
      "outside-to-linux-service-linux-node",
      "outside-to-windows-host-pod",
      "outside-to-windows-host-service-linux-node",
      "outside-to-linux-host-port",
      "linux-settings",
      "windows-settings",
      "linux-metrics",
    ]);
    assert.match(told["windows-metrics"] ?? "", /^needs Windows: .* HNS/);
    assert.equal(told["linux-pod-to-linux-pod-other-node"], "needs two Linux nodes: there is one");
    assert.match(told["windows-pod-to-linux-pod"] ?? "", /^needs Windows: containers/);
    const noHns = "needs Windows: a rehearsed node has no HNS, hence no";
    assert.equal(told["windows-node-to-linux-pod"], `${noHns} way to pods`);
    assert.equal(told["windows-node-to-windows-host-service"], `${noHns} way to services`);
    assert.equal(told["outside-to-windows-host-service-windows-node"], `${noHns} kube-proxy`);
    assert.match(told["windows-pod-to-windows-host-pod"] ?? "", /^needs Windows: containers/);
    assert.equal(told["linux-pod-to-internet"], "needs internet: none");
  });

  it("is with routes also what begins on a rehearsed node, but nothing that needs HNS", () => {
    const without = reasons(rehearsal);
    const told = reasons({ ...rehearsal, windowsNodeRoutes: true });
    const more = Object.keys(without).filter((id) => told[id] === undefined);
    assert.deepEqual(more, [
      "windows-node-to-linux-pod",
      "windows-node-to-linux-service",
      "windows-node-to-cluster-dns",
      "windows-node-to-windows-host-service",
    ]);
    const noHns = "needs Windows: a rehearsed node has no HNS, hence no";
    assert.equal(without["windows-node-to-cluster-dns"], `${noHns} way to services`);
    for (const id of [
      "outside-to-linux-service-windows-node",
      "outside-to-windows-host-service-windows-node",
    ]) {
      assert.equal(told[id], `${noHns} kube-proxy`);
    }
    for (const id of ["windows-node-to-windows-pod", "windows-node-to-windows-service"]) {
      assert.match(told[id] ?? "", /^needs Windows: containers on a rehearsed node .* no network$/);
    }
    for (const row of allRows.filter(({ id }) => more.includes(id))) {
      assert.equal(needsHostProcess(row), true, row.id);
    }
  });

  it("is on real Windows without a pod network only what needs none", () => {
    const told = reasons({ ...fullFacts, noWindowsPodNetwork: "no pod network" });
    assert.equal(told["linux-pod-to-windows-pod"], "no pod network");
    assert.equal(told["outside-to-linux-service-windows-node"], "no pod network");
    assert.equal(told["linux-pod-to-windows-host-pod"], "no pod network");
    assert.equal(told["windows-settings"], "no pod network");
    assert.equal(told["linux-pod-to-linux-pod-other-node"], undefined);
  });

  it("is without Windows what is on Linux", () => {
    const told = reasons({ nodes: [linuxNode, otherLinuxNode], rehearsal: false });
    assert.equal(told["linux-pod-to-windows-pod"], "needs a Windows node: there is none");
    assert.equal(told["windows-settings"], "needs a Windows node: there is none");
    assert.equal(told["linux-pod-to-linux-pod-other-node"], undefined);
  });

  it("needs images for the build of Windows", () => {
    const nodes = [linuxNode, { ...windowsNode, windowsBuild: "10.0.29999" }];
    const told = reasons({ nodes, rehearsal: false });
    assert.match(told["mixed-shop"] ?? "", /no Windows image for the build "10\.0\.29999"/);
    assert.equal(told["windows-settings"], undefined);
  });
});
