import assert from "node:assert/strict";
import { mock } from "node:test";
import type { V1ContainerStatus, V1Node, V1Pod } from "@kubernetes/client-node";
import {
  drainAndDelete,
  drainForUpgrade,
  endUpgrade,
  podsToEvict,
} from "../../../components/controlplane/drain.ts";
import { goneApi, hastenClock, withFakeApi, type Answer } from "./fake-api.ts";
import { eachCase } from "../each-case.ts";
import { waitBy, withoutPauses } from "../waits.ts";

const pod = (name: string, more: Partial<V1Pod> & { meta?: V1Pod["metadata"] } = {}): V1Pod => ({
  metadata: { name, namespace: "default", ...more.meta },
  status: { phase: "Running" },
  ...(more.status && { status: more.status }),
});
const owned = (kind: string, controller = true): { meta: V1Pod["metadata"] } => ({
  meta: { ownerReferences: [{ apiVersion: "apps/v1", kind, name: "x", uid: "1", controller }] },
});
const mirror = { meta: { annotations: { "kubernetes.io/config.mirror": "hash" } } };

const cases: Readonly<Record<string, V1Pod>> = {
  "moves a bare pod": pod("a"),
  "moves a pod of a ReplicaSet": pod("b", owned("ReplicaSet")),
  "leaves a pod of a DaemonSet": pod("c", owned("DaemonSet")),
  "moves a pod a DaemonSet owns but does not control": pod("d", owned("DaemonSet", false)),
  "leaves a static pod": pod("e", mirror),
  "moves a pending pod": pod("f", { status: { phase: "Pending" } }),
  "leaves a pod that succeeded": pod("g", { status: { phase: "Succeeded" } }),
  "leaves a pod that failed": pod("h", { status: { phase: "Failed" } }),
  "moves a pod without a status": { metadata: { name: "i", namespace: "default" } },
};

describe("a drain", () => {
  eachCase("%s", cases, (subject, name) =>
    assert.deepEqual(podsToEvict([subject]), name.startsWith("moves") ? [subject] : []),
  );

  it("keeps the order", () => {
    const kept = podsToEvict(Object.values(cases)).map(({ metadata }) => metadata?.name);
    assert.deepEqual(kept, ["a", "b", "d", "f", "i"]);
  });
});

const own = "/api/v1/nodes/win-1";
const pods = "GET /api/v1/pods";
const eviction = "POST /api/v1/namespaces/default/pods/web/eviction";
const budget: Answer = [429, { message: "would violate the budget" }];
const silently = { name: "win-1", drainTimeoutSeconds: 600, say: () => undefined };
const notFound: Answer = [404, { message: "not found", details: { name: "win-1" } }];

/** A cluster of one node with one pod, which remembers what it is given and does what it is asked, except for refusals. */
class OneNode {
  requests: readonly string[] = [];

  constructor(
    public node: V1Node = fresh(),
    private readonly refusals: Readonly<Record<string, Answer>> = {},
    public pods: readonly V1Pod[] = [pod("web")],
  ) {}

  private readonly answer = (request: string, body: unknown): Answer => {
    const refusal = this.refusals[request];
    if (refusal !== undefined) return refusal;
    if (request === `PUT ${own}`) this.node = body as V1Node;
    if (request === eviction) this.pods = [];
    return [200, request === pods ? { items: this.pods } : this.node];
  };

  /** Removes the node, as the action does. */
  remove(): Promise<void> {
    return withFakeApi(this.answer, async (api, requests) => {
      this.requests = requests;
      await drainAndDelete(api, silently);
    });
  }

  /** Drains it for an upgrade; the lines of progress. */
  async drain(): Promise<string[]> {
    const lines: string[] = [];
    const say = (line: string): unknown => lines.push(line);
    await withFakeApi(this.answer, (api) =>
      drainForUpgrade(api, { name: "win-1", drainTimeoutSeconds: 600, say }),
    );
    return lines;
  }

  endUpgrade(): Promise<boolean> {
    return withFakeApi(this.answer, (api) => endUpgrade(api, "win-1", 600));
  }
}

function fresh(): V1Node {
  return {
    metadata: { name: "win-1", annotations: { other: "1" } },
    spec: { podCIDR: "10.244.1.0/24" },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
}
const closedBySomebody = (): V1Node => ({ ...fresh(), spec: { unschedulable: true } });
const closedByUs = (): V1Node => ({
  ...fresh(),
  metadata: { name: "win-1", annotations: { other: "1", "kindows.dev/cordoned-for": "upgrade" } },
  spec: { podCIDR: "10.244.1.0/24", unschedulable: true },
});

describe("removing a node", () => {
  afterEach(() => mock.restoreAll());

  it("cordons it, moves its pods away, and deletes it", async () => {
    const cluster = new OneNode();
    await cluster.remove();
    const requests = [`GET ${own}`, `PUT ${own}`, pods, eviction, pods, `DELETE ${own}`];
    assert.deepEqual(cluster.requests, requests);
    assert.deepEqual(cluster.node, { ...fresh(), spec: { ...fresh().spec, unschedulable: true } });
  });

  it("does not cordon twice", async () => {
    const cluster = new OneNode(closedBySomebody(), {}, []);
    await cluster.remove();
    assert.deepEqual(cluster.requests, [`GET ${own}`, pods, `DELETE ${own}`]);
  });

  it("deletes it in the end though a disruption budget forbids the eviction", async () => {
    const cluster = new OneNode(fresh(), { [eviction]: budget });
    hastenClock();
    await cluster.remove();
    assert.ok(cluster.requests.includes(eviction));
    assert.equal(cluster.requests.at(-1), `DELETE ${own}`);
  });

  for (const last of [`GET ${own}`, `DELETE ${own}`]) {
    it(`is done when the node is gone by the time of ${last}`, async () => {
      const cluster = new OneNode(fresh(), { [last]: notFound }, []);
      await cluster.remove();
      assert.equal(cluster.requests.at(-1), last);
    });
  }

  it("is done when the cluster is gone", async () =>
    await drainAndDelete(await goneApi(), silently));

  for (const [request, says] of [
    ["GET", /the node win-1 cannot be removed: nodes is forbidden/],
    ["DELETE", /the node win-1 could not be deleted: nodes is forbidden/],
  ] as const) {
    it(`fails where the API server refuses to ${request} it`, () => {
      const forbidden: Answer = [403, { message: "nodes is forbidden" }];
      const cluster = new OneNode(fresh(), { [`${request} ${own}`]: forbidden }, []);
      return assert.rejects(cluster.remove(), says);
    });
  }
});

describe("a node before an upgrade", () => {
  before(withoutPauses);
  after(() => waitBy());
  afterEach(() => mock.restoreAll());

  for (const [what, before, after] of [
    ["is closed to new pods, with a note that this is ours", fresh(), closedByUs()],
    ["that somebody has closed stays somebody's", closedBySomebody(), closedBySomebody()],
    ["that a killed run has closed stays ours", closedByUs(), closedByUs()],
  ] as const) {
    it(`${what}, and loses the pods it has`, async () => {
      const cluster = new OneNode(before);
      await cluster.drain();
      assert.deepEqual(cluster.node, after);
      assert.deepEqual(cluster.pods, []);
    });
  }

  it("keeps pods that nothing moves, and they are named", async () => {
    hastenClock();
    const lines = await new OneNode(fresh(), { [eviction]: budget }).drain();
    assert.match(
      lines.at(-1) ?? "",
      /^waited 600 s for .* still there: default\/web \(would violate the budget\): win-1 is upgraded with them$/,
    );
  });

  it("that is not in the cluster has nothing to be moved", async () => {
    const lines = await new OneNode(fresh(), { [`GET ${own}`]: notFound }).drain();
    assert.match(lines.join(), /^the node win-1 is not in the cluster: /);
  });

  it("is upgraded though the cluster does not answer", async () => {
    const lines: string[] = [];
    const say = (line: string): unknown => lines.push(line);
    await drainForUpgrade(await goneApi(), { name: "win-1", drainTimeoutSeconds: 600, say });
    assert.match(lines.join(), /^the cluster does not answer \(.*\): win-1 is upgraded/);
  });

  it("that must not be drained is not upgraded", () => {
    const forbidden: Answer = [403, { message: "nodes is forbidden" }];
    const cluster = new OneNode(fresh(), { [`PUT ${own}`]: forbidden });
    return assert.rejects(cluster.drain(), /the node win-1 cannot be drained: nodes is forb/);
  });
});

describe("a node after an upgrade", () => {
  afterEach(() => mock.restoreAll());

  for (const [what, before, ended] of [
    ["takes pods again, without a trace of it", closedByUs(), true],
    ["stays closed where somebody else has closed it", closedBySomebody(), false],
    ["that was never closed is left alone", fresh(), false],
  ] as const) {
    it(what, async () => {
      const cluster = new OneNode(before);
      assert.equal(await cluster.endUpgrade(), ended);
      assert.deepEqual(cluster.node, ended ? fresh() : before);
    });
  }

  it("stays closed until it is Ready", async () => {
    const state = { waiting: { reason: "ImagePullBackOff" } };
    const status = { containerStatuses: [{ image: "cni:v3", state }] as V1ContainerStatus[] };
    const cluster = new OneNode({ ...closedByUs(), status: {} }, {}, [pod("cni", { status })]);
    hastenClock();
    await assert.rejects(
      cluster.endUpgrade(),
      /^Error: waited 600 s for the node win-1 to be Ready; last seen: .* yet; cni: the image cni:v3 cannot be pulled/,
    );
    assert.equal(cluster.node.spec?.unschedulable, true);
  });
});
