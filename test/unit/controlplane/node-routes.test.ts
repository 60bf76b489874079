import assert from "node:assert/strict";
import type { V1Node } from "@kubernetes/client-node";
import { nodeRoutes } from "../../../components/controlplane/node-routes.ts";
import { eachCase } from "../each-case.ts";
import { runOnCluster } from "./run-action.ts";

function node(name: string, range: string | undefined, address: string | undefined): V1Node {
  return {
    metadata: { name },
    spec: { ...(range !== undefined && { podCIDR: range, podCIDRs: [range] }) },
    status: {
      addresses: [
        { type: "Hostname", address: name },
        ...(address === undefined ? [] : [{ type: "InternalIP", address }]),
      ],
    },
  };
}

describe("ways to nodes' pods and to Services", () => {
  const routed = { nodes: ["cp", "worker-1"], serviceCidr: "10.96.0.0/16" };
  const controlPlane = node("cp", "10.244.0.0/24", "192.168.150.128");

  it("lead to each node's pods by way of it, and to Services by way of the first", () => {
    const worker = node("worker-1", "10.244.1.0/24", "192.168.150.129");
    const windows = node("win-1", "10.244.2.0/24", "192.168.150.10");
    assert.deepEqual(nodeRoutes(routed, [windows, worker, controlPlane]), {
      found: [
        { range: "10.244.0.0/24", nextHop: "192.168.150.128" },
        { range: "10.244.1.0/24", nextHop: "192.168.150.129" },
        { range: "10.96.0.0/16", nextHop: "192.168.150.128" },
      ],
    });
  });

  const missing: Readonly<Record<string, readonly V1Node[]>> = {
    "a node that is not there": [],
    "one without a range": [node("worker-1", undefined, "10.0.0.1")],
    "one without an address": [node("worker-1", "10.244.1.0/24", undefined)],
    "one with ranges of IPv6 only": [node("worker-1", "fd00::/64", "10.0.0.1")],
  };
  eachCase("are not known yet for want of %s", missing, (nodes) =>
    assert.equal(nodeRoutes(routed, [controlPlane, ...nodes]), "not known yet for worker-1"),
  );

  it("are not known yet for want of all nodes, which are named", () =>
    assert.equal(nodeRoutes(routed, []), "not known yet for cp, worker-1"));
});

describe("the host action that finds them", () => {
  it("waits for a node's range, and prints the routes", async () => {
    let looks = 0;
    const { stdout, stderr } = await runOnCluster(
      "controlplane/actions/find-node-routes",
      { ROUTED: JSON.stringify({ nodes: ["cp"], serviceCidr: "10.96.0.0/16" }) },
      () => {
        looks += 1;
        const range = looks < 2 ? undefined : "10.244.0.0/24";
        return [200, { items: [node("cp", range, "192.0.2.128")] }];
      },
    );
    assert.deepEqual(JSON.parse(stdout), [
      { range: "10.244.0.0/24", nextHop: "192.0.2.128" },
      { range: "10.96.0.0/16", nextHop: "192.0.2.128" },
    ]);
    assert.match(stderr, /not known yet for cp/);
  });
});
