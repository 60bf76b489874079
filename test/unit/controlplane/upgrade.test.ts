import assert from "node:assert/strict";
import type { V1Node, V1Pod } from "@kubernetes/client-node";

import { ClusterApi } from "../../../components/controlplane/actions/cluster-api.ts";
import { drainForUpgrade } from "../../../components/controlplane/actions/drain-for-upgrade.ts";
import { endUpgrade } from "../../../components/controlplane/actions/end-upgrade.ts";
import { withFakeApi } from "./fake-api.ts";
import type { Answer } from "./fake-api.ts";
import { kubeconfig } from "./fixture-kubeconfig.ts";

const own = "/api/v1/nodes/win-1";
const eviction = "POST /api/v1/namespaces/default/pods/web/eviction";
const annotation = "kindows.dev/cordoned-for";
const web: V1Pod = {
  metadata: { name: "web", namespace: "default" },
  status: { phase: "Running" },
};
const ready = { conditions: [{ type: "Ready", status: "True" }] };

/** A cluster of one node, which remembers what it is given. */
class OneNode {
  pods = [web];
  /** Answers to requests that are not these of a cluster that does as it is told. */
  refusals: Readonly<Record<string, Answer>> = {};

  constructor(public node: V1Node) {}

  readonly answer = (request: string, body: unknown): Answer => {
    const refusal = this.refusals[request];
    if (refusal !== undefined) return refusal;
    if (request === `PUT ${own}`) this.node = body as V1Node;
    if (request === eviction) this.pods = [];
    return [200, request === "GET /api/v1/pods" ? { items: this.pods } : this.node];
  };
}

const fresh = (): V1Node => ({
  metadata: { name: "win-1", annotations: { other: "1" } },
  spec: { podCIDR: "10.244.1.0/24" },
  status: ready,
});
const closedBySomebody = (): V1Node => ({ ...fresh(), spec: { unschedulable: true } });
const closedByUs = (): V1Node => ({
  ...fresh(),
  metadata: { name: "win-1", annotations: { other: "1", [annotation]: "upgrade" } },
  spec: { podCIDR: "10.244.1.0/24", unschedulable: true },
});

/** Drains; the lines of progress. */
async function drain(cluster: OneNode, drainTimeoutSeconds = 10): Promise<string[]> {
  const lines: string[] = [];
  await withFakeApi(cluster.answer, (api) =>
    drainForUpgrade(api, { name: "win-1", drainTimeoutSeconds, say: (line) => lines.push(line) }),
  );
  return lines;
}

describe("a node before an upgrade", () => {
  it("is closed to new pods, with a note that this is ours, and loses those it has", async () => {
    const cluster = new OneNode(fresh());
    await drain(cluster);
    assert.deepEqual(cluster.node, closedByUs());
    assert.deepEqual(cluster.pods, []);
  });

  it("that somebody has closed is drained, and stays somebody's", async () => {
    const cluster = new OneNode(closedBySomebody());
    await drain(cluster);
    assert.deepEqual(cluster.node, closedBySomebody());
    assert.deepEqual(cluster.pods, []);
  });

  it("that a killed run has closed is drained on, and stays ours", async () => {
    const cluster = new OneNode(closedByUs());
    await drain(cluster);
    assert.deepEqual(cluster.node, closedByUs());
    assert.deepEqual(cluster.pods, []);
  });

  it("keeps pods that nothing moves, and they are named", async () => {
    const cluster = new OneNode(fresh());
    cluster.refusals = { [eviction]: [429, { message: "would violate the budget" }] };
    const lines = await drain(cluster, 0.5);
    assert.match(
      lines.at(-1) ?? "",
      /^waited 0\.5 s for .* still there: default\/web \(would violate the budget\): win-1 is upgraded with them$/,
    );
  });

  it("that is not in the cluster has nothing to be moved", async () => {
    const cluster = new OneNode(fresh());
    cluster.refusals = { [`GET ${own}`]: [404, { message: "not found" }] };
    assert.match((await drain(cluster)).join(), /^the node win-1 is not in the cluster: /);
  });

  it("is upgraded though the cluster does not answer", async () => {
    let gone = "";
    await withFakeApi(
      () => [404, {}],
      (_api, _requests, server) => {
        gone = server;
        return Promise.resolve();
      },
    );
    const lines: string[] = [];
    await drainForUpgrade(new ClusterApi(kubeconfig(gone), 1), {
      name: "win-1",
      drainTimeoutSeconds: 1,
      say: (line) => lines.push(line),
    });
    assert.match(lines.join(), /^the cluster does not answer \(.*\): win-1 is upgraded/);
  });

  it("that must not be drained is not upgraded", async () => {
    const cluster = new OneNode(fresh());
    cluster.refusals = { [`PUT ${own}`]: [403, { message: "nodes is forbidden" }] };
    await assert.rejects(drain(cluster), /does not let the node win-1 be drained: nodes is forb/);
  });
});

describe("a node after an upgrade", () => {
  const end = async (cluster: OneNode): Promise<boolean> => {
    let ended = false;
    await withFakeApi(cluster.answer, async (api) => {
      ended = await endUpgrade(api, "win-1", 0.5);
    });
    return ended;
  };

  it("takes pods again, without a trace of it", async () => {
    const cluster = new OneNode(closedByUs());
    assert.equal(await end(cluster), true);
    assert.deepEqual(cluster.node, fresh());
  });

  it("stays closed where somebody else has closed it", async () => {
    const cluster = new OneNode(closedBySomebody());
    assert.equal(await end(cluster), false);
    assert.deepEqual(cluster.node, closedBySomebody());
  });

  it("that was never closed is left alone", async () => {
    const cluster = new OneNode(fresh());
    assert.equal(await end(cluster), false);
    assert.deepEqual(cluster.node, fresh());
  });

  it("stays closed until it is Ready", async () => {
    const cluster = new OneNode({ ...closedByUs(), status: {} });
    await assert.rejects(end(cluster), /waited 0\.5 s for the node win-1 to be Ready/);
    assert.equal(cluster.node.spec?.unschedulable, true);
  });
});
