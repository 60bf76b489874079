import assert from "node:assert/strict";
import { parse } from "yaml";
import { renderRoutes } from "../../../components/windows/steps.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { clusterRoutes, hasClusterRoutes } from "../../../stacks/cluster-routes.ts";
import { controlPlaneFixture } from "../controlplane/fixture-node.ts";
import { look, record, revealed } from "../controlplane/recorded-resources.ts";
import { eachCase } from "../each-case.ts";

const settings = (yaml: string): ReturnType<typeof resolveSettings> =>
  resolveSettings(parse(yaml) as Record<string, unknown>, { stack: "dev", file: "x" });

const kindDefault = "cni: { kind: kind-default }, nodes: [{ name: win-1 }]";

describe("routes to the cluster's ranges", () => {
  const found = [
    { range: "10.244.0.0/24", nextHop: "192.168.150.128" },
    { range: "10.96.0.0/16", nextHop: "192.168.150.128" },
  ];

  const routesOf = (yaml: string) =>
    record(
      () => JSON.stringify(found),
      () => clusterRoutes(settings(yaml), { ...controlPlaneFixture(), ready: [] }, []),
    );

  const cases: Readonly<Record<string, readonly [yaml: string, nodes: readonly string[]]>> = {
    "are found for the control plane": [`{ ${kindDefault} }`, ["kindows-dev-control-plane"]],
    "are found for every Linux node, and not for the load balancer before three control planes": [
      `{ ${kindDefault}, cluster: { controlPlanes: 3, workers: [{ name: worker-1 }] } }`,
      [
        ...[
          "kindows-dev-control-plane",
          "kindows-dev-control-plane2",
          "kindows-dev-control-plane3",
        ],
        "kindows-dev-worker-1",
      ],
    ],
    "are found for Linux nodes on machines of their own": [
      "{ cni: { kind: kind-default }, nodes: [{ name: win-1 }, { name: linux-1, os: linux }] }",
      ["kindows-dev-control-plane", "linux-1"],
    ],
  };
  eachCase("%s", cases, async ([yaml, nodes]) => {
    const { made, resources } = await routesOf(yaml);
    const { value, secret } = await look(made ?? assert.fail());
    assert.equal(renderRoutes(value), "10.244.0.0/24=192.168.150.128;10.96.0.0/16=192.168.150.128");
    assert.equal(secret, false);
    const action = resources.get("command:local:Command/node-routes");
    const { ROUTED } = revealed(action?.inputs["environment"]) as { ROUTED?: string };
    assert.deepEqual(JSON.parse(ROUTED ?? ""), { nodes, serviceCidr: "10.96.0.0/16" });
  });

  it("are none where the pod network is on Windows, too, and none without Windows nodes", async () => {
    for (const yaml of [
      "{ nodes: [{ name: win-1 }] }",
      "{ cni: { kind: kind-default }, nodes: [] }",
    ]) {
      assert.equal((await routesOf(yaml)).made, undefined);
    }
  });

  it("are there for the rows of verify exactly where nodes get them", () => {
    assert.equal(hasClusterRoutes(settings(`{ ${kindDefault} }`)), true);
    assert.equal(hasClusterRoutes(settings("{ nodes: [{ name: win-1 }] }")), false);
  });
});
