import assert from "node:assert/strict";
import type { V1Node } from "@kubernetes/client-node";
import { execa } from "execa";

import { nodeRoutes } from "../../../components/controlplane/node-routes.ts";
import { type Answer, withFakeApi } from "./fake-api.ts";
import { kubeconfig } from "./fixture-kubeconfig.ts";

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
      routes: [
        { range: "10.244.0.0/24", nextHop: "192.168.150.128" },
        { range: "10.244.1.0/24", nextHop: "192.168.150.129" },
        { range: "10.96.0.0/16", nextHop: "192.168.150.128" },
      ],
    });
  });

  const missing: readonly [what: string, nodes: readonly V1Node[], named: string][] = [
    ["a node that is not there", [controlPlane], "worker-1"],
    ["one without a range", [controlPlane, node("worker-1", undefined, "10.0.0.1")], "worker-1"],
    [
      "one without an address",
      [controlPlane, node("worker-1", "10.244.1.0/24", undefined)],
      "worker-1",
    ],
    [
      "one with ranges of IPv6 only",
      [controlPlane, node("worker-1", "fd00::/64", "10.0.0.1")],
      "worker-1",
    ],
    ["all of them", [], "cp, worker-1"],
  ];
  for (const [what, nodes, named] of missing) {
    it(`are not known yet for want of ${what}`, () => {
      assert.deepEqual(nodeRoutes(routed, nodes), { missing: named });
    });
  }
});

describe("the host action that finds them", () => {
  it("waits for a node's range, and prints the routes", async () => {
    let looks = 0;
    const answer = (): Answer => {
      looks += 1;
      return [200, { items: [node("cp", looks < 2 ? undefined : "10.244.0.0/24", "192.0.2.128")] }];
    };
    await withFakeApi(answer, async (_api, _requests, url) => {
      const program = "components/controlplane/actions/find-node-routes.ts";
      const { stdout, stderr } = await execa(process.execPath, ["--import", "tsx", program], {
        env: {
          KUBECONFIG_CONTENT: kubeconfig(url),
          ROUTED: JSON.stringify({ nodes: ["cp"], serviceCidr: "10.96.0.0/16" }),
        },
      });
      assert.deepEqual(JSON.parse(stdout), [
        { range: "10.244.0.0/24", nextHop: "192.0.2.128" },
        { range: "10.96.0.0/16", nextHop: "192.0.2.128" },
      ]);
      assert.match(stderr, /none known yet of cp/);
    });
  });
});
