import assert from "node:assert/strict";

import type { Facts } from "../../../verify/cluster/facts.ts";
import { columnGroups, columnOf } from "../../../verify/report/matrix.ts";
import { pathRows } from "../../../verify/rows/paths.ts";
import { rowTitle, sourceName } from "../../../verify/rows/row.ts";
import { needsHostProcess, needsText, whyNot } from "../../../verify/rows/runnable.ts";
import { allRows, selectRows } from "../../../verify/rows/select.ts";
import { fullFacts, linuxNode, otherLinuxNode, windowsNode } from "./cluster-states.ts";

/** Ids that begin alike. */
const idsOf = (from: string, ...ends: readonly string[]): readonly string[] =>
  ends.map((to) => `${from}-to-${to}`);

/**
 * What the connectivity table of pablodav/kubernetes-for-windows and the networking-tests.md of
 * lippertmarkus/vagrant-k8s-win-hostprocess have in their lines.
 */
const ofOthers: Readonly<Record<string, readonly string[]>> = {
  "linux-pod": [
    ...["linux-pod-same-node", "linux-pod-other-node", "linux-pod-name", "windows-pod"],
    ...["windows-pod-name", "windows-service", "windows-service-name", "linux-service-name"],
    ...["host", "internet"],
  ],
  "windows-pod": [
    ...["windows-pod-same-node", "windows-pod-other-node", "windows-pod-name", "linux-pod"],
    ...["linux-pod-name", "linux-service", "linux-service-name", "windows-service-name"],
    ...["host", "internet"],
  ],
  "linux-node": ["windows-pod", "linux-pod", "windows-service", "linux-service"],
  "windows-node": ["windows-pod", "linux-pod", "linux-service", "windows-service"],
  outside: [
    ...["linux-service-linux-node", "linux-service-windows-node"],
    ...["windows-service-linux-node", "windows-service-windows-node"],
  ],
};

describe("the rows", () => {
  const ids = allRows.map(({ id }) => id);

  it("have an id and a title of their own each", () => {
    assert.equal(new Set(ids).size, ids.length);
    const titles = allRows.map(rowTitle);
    assert.equal(new Set(titles).size, titles.length);
    for (const id of ids) assert.match(id, /^[a-z]+(-[a-z]+)+$/);
  });

  for (const [from, all] of Object.entries(ofOthers)) {
    it(`show what others try from a ${from}: ${all.join(", ")}`, () => {
      const missing = idsOf(from, ...all).filter((id) => !ids.includes(id));
      assert.deepEqual(missing, []);
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
  it("takes all where none is named", () => assert.equal(selectRows([]).length, allRows.length));

  it("takes ids and patterns, in the table's order", () => {
    const chosen = selectRows(["mixed-shop", "*-to-internet"]).map(({ id }) => id);
    assert.deepEqual(chosen, [
      "linux-pod-to-internet",
      "windows-pod-to-internet",
      "windows-node-to-internet",
      "mixed-shop",
    ]);
  });

  it("tells every name that no row has, and the nearest one", () =>
    assert.throws(
      () => selectRows(["linux-pod-to-hosts", "mixed-*", "shop"]),
      /"linux-pod-to-hosts" \(did you mean linux-pod-to-host\?\), "shop"/,
    ));
});

describe("what a row needs", () => {
  const texts: Readonly<Record<string, string>> = {
    "linux-pod-to-linux-pod-other-node": "two Linux nodes",
    "windows-pod-to-windows-pod-other-node": "two Windows nodes, Windows pods with a network",
    "linux-pod-to-windows-service": "a Linux node, Windows pods with a network",
    "windows-node-to-linux-pod": "a Linux node, a HostProcess container on Windows",
    "linux-pod-to-windows-host-service": "a Linux node, a HostProcess container on Windows",
    "windows-node-to-cluster-dns":
      "a Linux node, a HostProcess container on Windows (not seen yet on Windows)",
    "linux-node-to-cluster-dns": "a Linux node",
    "outside-to-linux-service-windows-node": "a Linux node, kube-proxy on Windows",
    "linux-pod-to-internet": "a Linux node, the internet",
    "windows-settings": "a Windows container",
    "mixed-shop": "Windows pods with a network",
  };
  for (const [id, expected] of Object.entries(texts)) {
    it(`is said of ${id}`, () =>
      assert.equal(needsText(selectRows([id])[0] ?? assert.fail(id)), expected));
  }
});

describe("what can be run", () => {
  const rehearsal: Facts = {
    nodes: [linuxNode, windowsNode],
    rehearsal: true,
    noWindowsPodNetwork: "needs a pod network on Windows",
    noInternet: "needs internet: none",
  };

  const noHns = "needs Windows: a rehearsed node has no HNS, hence no";

  function reasons(facts: Facts): Readonly<Record<string, string>> {
    return Object.fromEntries(
      allRows.flatMap((row) => {
        const reason = whyNot(row, facts);
        return reason === undefined ? [] : [[row.id, reason]];
      }),
    );
  }

  it("is everything in a cluster that has everything", () =>
    assert.deepEqual(reasons(fullFacts), {}));

  it("is in a rehearsal nothing that would need Windows", () => {
    const reported = reasons(rehearsal);
    const run = allRows.filter(({ id }) => reported[id] === undefined).map(({ id }) => id);
    const [hostService, linuxHost] = ["windows-host-service", "linux-host-port"];
    assert.deepEqual(run, [
      ...idsOf("linux-pod", "linux-pod-same-node", "linux-pod-name", "linux-service"),
      ...idsOf("linux-pod", "linux-service-name", "linux-node-port", linuxHost),
      ...idsOf("linux-pod", "windows-host-pod", hostService, `${hostService}-name`, "host"),
      ...idsOf("linux-node", "linux-pod", "linux-service", "windows-host-pod", hostService),
      ...idsOf("windows-node", "linux-node-port", "linux-host-pod", "windows-host-pod", "host"),
      ...idsOf("outside", "linux-service-linux-node", "windows-host-pod"),
      ...idsOf("outside", `${hostService}-linux-node`, linuxHost),
      ...["linux-settings", "windows-settings", "linux-metrics"],
    ]);
    assert.match(reported["windows-metrics"] ?? "", /^needs Windows: .* HNS/);
    assert.equal(
      reported["linux-pod-to-linux-pod-other-node"],
      "needs two Linux nodes: there is one",
    );
    assert.match(reported["windows-pod-to-linux-pod"] ?? "", /^needs Windows: containers/);
    assert.equal(reported["windows-node-to-linux-pod"], `${noHns} way to pods`);
    assert.equal(reported["windows-node-to-windows-host-service"], `${noHns} way to services`);
    assert.equal(reported["outside-to-windows-host-service-windows-node"], `${noHns} kube-proxy`);
    assert.match(reported["windows-pod-to-windows-host-pod"] ?? "", /^needs Windows: containers/);
    assert.equal(reported["linux-pod-to-internet"], "needs internet: none");
  });

  it("is with routes also what begins on a rehearsed node, but nothing that needs HNS", () => {
    const without = reasons(rehearsal);
    const reported = reasons({ ...rehearsal, windowsNodeRoutes: true });
    const more = Object.keys(without).filter((id) => reported[id] === undefined);
    assert.deepEqual(more, [
      "windows-node-to-linux-pod",
      "windows-node-to-linux-service",
      "windows-node-to-cluster-dns",
      "windows-node-to-windows-host-service",
    ]);
    assert.equal(without["windows-node-to-cluster-dns"], `${noHns} way to services`);
    for (const service of ["linux-service", "windows-host-service"]) {
      assert.equal(reported[`outside-to-${service}-windows-node`], `${noHns} kube-proxy`);
    }
    for (const id of ["windows-node-to-windows-pod", "windows-node-to-windows-service"]) {
      assert.match(
        reported[id] ?? "",
        /^needs Windows: containers on a rehearsed node .* no network$/,
      );
    }
    for (const row of allRows.filter(({ id }) => more.includes(id))) {
      assert.equal(needsHostProcess(row), true, row.id);
    }
  });

  it("is on real Windows without a pod network only what needs none", () => {
    const reported = reasons({ ...fullFacts, noWindowsPodNetwork: "no pod network" });
    const outside = "outside-to-linux-service-windows-node";
    const hostPod = "linux-pod-to-windows-host-pod";
    for (const id of ["linux-pod-to-windows-pod", outside, hostPod, "windows-settings"]) {
      assert.equal(reported[id], "no pod network");
    }
    assert.equal(reported["linux-pod-to-linux-pod-other-node"], undefined);
  });

  it("is without hostPort on Windows all but what goes to one there", () =>
    assert.deepEqual(reasons({ ...fullFacts, noWindowsHostPorts: "no hostPort" }), {
      "linux-pod-to-windows-host-port": "no hostPort",
      "windows-pod-to-windows-host-port": "no hostPort",
      "outside-to-windows-host-port": "no hostPort",
    }));

  it("is without Windows what is on Linux", () => {
    const reported = reasons({ nodes: [linuxNode, otherLinuxNode], rehearsal: false });
    for (const id of ["linux-pod-to-windows-pod", "windows-settings"]) {
      assert.equal(reported[id], "needs a Windows node: there is none");
    }
    assert.equal(reported["linux-pod-to-linux-pod-other-node"], undefined);
  });

  it("needs images for the build of Windows", () => {
    const nodes = [linuxNode, { ...windowsNode, windowsBuild: "10.0.29999" }];
    const reported = reasons({ nodes, rehearsal: false });
    assert.match(reported["mixed-shop"] ?? "", /no Windows image for the build "10\.0\.29999"/);
    assert.equal(reported["windows-settings"], undefined);
  });
});
