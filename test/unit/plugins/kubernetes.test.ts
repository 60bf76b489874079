import assert from "node:assert/strict";
import type { CoreV1Event, V1Pod } from "@kubernetes/client-node";

import { checkObject } from "../../../plugins/kubernetes/checked-inputs.ts";
import { type Kind, kindOf } from "../../../plugins/kubernetes/kinds.ts";
import { diffObject, liveInputs, objectState } from "../../../plugins/kubernetes/object-type.ts";
import { describe as describePods } from "../../../plugins/kubernetes/await-ready.ts";
import { diffClusters } from "../../../plugins/kubernetes/provider.ts";
import { readiness } from "../../../plugins/kubernetes/readiness.ts";
import { type PropertyMap, secret, unknown } from "../../../plugins/protocol/property-value.ts";
import { eachCase } from "../each-case.ts";

const kind = (name: string): Kind => kindOf(`kubernetes:${name}`) ?? assert.fail(name);

const configMap = kind("core/v1:ConfigMap");
const daemonSet = kind("apps/v1:DaemonSet");
const strict = { configMapMutable: false, secretMutable: false };

describe("differences between Kubernetes objects", () => {
  const named = (more: PropertyMap): PropertyMap => ({
    metadata: { name: "x", namespace: "default" },
    ...more,
  });
  const autonamed = (more: PropertyMap): PropertyMap => ({
    metadata: { name: "x-1", annotations: { "pulumi.com/autonamed": "true" } },
    ...more,
  });
  const selector = (app: string): PropertyMap => ({
    spec: { selector: { matchLabels: { app } }, template: {} },
  });
  const clusterRole = kind("rbac.authorization.k8s.io/v1:ClusterRole");
  const role = (verbs: readonly string[]): PropertyMap => named({ rules: [{ verbs }] });
  const bound = (name: string): PropertyMap => named({ roleRef: { name } });
  const [one, two] = [{ data: { a: "1" } }, { data: { a: "2" } }];
  const fixed = { immutable: true };
  const labelled = { ...named(selector("a")), metadata: { name: "x", labels: { l: "1" } } };
  const sealed = (a: string): PropertyMap => named({ stringData: secret({ a }) });
  const mutable = { ...strict, configMapMutable: true };
  const dataSecret = kind("core/v1:Secret");
  const binding = kind("rbac.authorization.k8s.io/v1:ClusterRoleBinding");

  type Case = readonly [
    what: string,
    of: Kind,
    olds: PropertyMap,
    news: PropertyMap,
    changed: string,
    settings?: typeof strict,
  ];
  /** By what is done for a difference. */
  const cases: Readonly<Record<"update" | "replace" | "delete and replace", readonly Case[]>> = {
    update: [
      ["data of a ConfigMap that is mutable", configMap, named(one), named(two), "data.a", mutable],
      ["a role's verbs", clusterRole, role(["get"]), role(["get", "list"]), "rules[0].verbs[1]"],
      ["a label", daemonSet, named(selector("a")), labelled, "metadata.labels"],
    ],
    replace: [
      ["another name", configMap, named({}), { metadata: { name: "y" } }, "metadata.name"],
      [
        ...(["another namespace", configMap, named({})] as const),
        ...([{ metadata: { name: "x", namespace: "n" } }, "metadata.namespace"] as const),
      ],
      ["an unknown name", configMap, named({}), { metadata: { name: unknown } }, "metadata.name"],
      ["data where the name was made up", configMap, autonamed(one), autonamed(two), "data.a"],
    ],
    "delete and replace": [
      ["data of a ConfigMap", configMap, named(one), named(two), "data.a"],
      [
        ...(["data of an immutable ConfigMap where data is mutable", configMap] as const),
        ...([named({ ...one, ...fixed }), named({ ...two, ...fixed }), "data.a", mutable] as const),
      ],
      ["data of a Secret", dataSecret, sealed("1"), sealed("2"), "stringData"],
      [
        ...(["a selector", daemonSet, named(selector("a")), named(selector("b"))] as const),
        "spec.selector.matchLabels.app",
      ],
      ["whom a binding binds to", binding, bound("a"), bound("b"), "roleRef.name"],
    ],
  };
  for (const [done, all] of Object.entries(cases)) {
    for (const [what, of, olds, news, changed, settings = strict] of all) {
      it(`are ${what}: ${done}`, () => {
        const { changes, deleteBeforeReplace } = diffObject(of, settings, olds, news);
        const replaces = done !== "update";
        assert.deepEqual(
          changes.map((each) => [each.path, each.replaces]),
          [[changed, replaces]],
        );
        if (replaces) assert.equal(deleteBeforeReplace, done === "delete and replace");
      });
    }
  }

  it("are none where there are none", () => {
    const { changes } = diffObject(configMap, strict, named({}), { metadata: { name: "x" } });
    assert.deepEqual(changes, []);
  });
});

describe("a changed provider", () => {
  /** A provider of a cluster at a port. */
  const to = (port: number, user = "u"): PropertyMap => ({
    kubeconfig: JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k", user } }],
      clusters: [{ name: "k", cluster: { server: `https://127.0.0.1:${String(port)}` } }],
    }),
  });
  const veiled = { kubeconfig: unknown };
  const lab = { clusterIdentifier: "lab" };
  const moved = { kubeconfig: secret(to(2)["kubeconfig"] ?? null) };
  const cases: Readonly<Record<string, readonly [PropertyMap, PropertyMap]>> = {
    "keeps its objects for the same cluster with another user": [to(1), to(1, "v")],
    "replaces its objects for another cluster": [to(1), to(2)],
    "replaces its objects for a kubeconfig that is not known": [to(1), veiled],
    "keeps its objects for a kubeconfig that is not known, of a cluster with an identifier": [
      { ...to(1), ...lab },
      { ...veiled, ...lab },
    ],
    "keeps its objects for another address of a cluster with an identifier": [
      { ...to(1), ...lab },
      { ...moved, ...lab },
    ],
    "replaces its objects for another identifier": [lab, { clusterIdentifier: "other" }],
  };
  eachCase("%s", cases, ([olds, news], name) => {
    const { changes } = diffClusters(olds, news);
    assert.ok(changes.length > 0);
    const replaced = changes.some(({ replaces }) => replaces);
    assert.equal(replaced, name.startsWith("replaces"));
  });

  it("is no change when only the engine's own settings differ", () => {
    const { changes } = diffClusters({ version: "4.34.1" }, { version: "4.34.2" });
    assert.deepEqual(changes, []);
  });
});

describe("checked inputs of Kubernetes objects", () => {
  const check = (news: PropertyMap, olds: PropertyMap = {}, of: Kind = configMap): PropertyMap =>
    checkObject(of, "lab", { name: "res", olds, news, randomSeed: new Uint8Array([1]) }).inputs;

  it("get a name that stays, and the provider's namespace", () => {
    const first = check({});
    const { name, namespace } = first["metadata"] as PropertyMap;
    assert.ok(typeof name === "string");
    assert.match(name, /^res-[0-9a-f]{8}$/);
    assert.equal(namespace, "lab");
    assert.deepEqual(check({ data: { a: "1" } }, first)["metadata"], first["metadata"]);
    // A name that the program gave is not kept once it is no longer given.
    const given = check({ metadata: { name: "given" } });
    assert.notEqual((check({}, given)["metadata"] as PropertyMap)["name"], "given");
  });

  it("lose what only the API server sets", () => {
    const metadata = { name: "x", namespace: "n", uid: "u", resourceVersion: "1", labels: {} };
    assert.deepEqual(check({ metadata })["metadata"], { name: "x", namespace: "n", labels: {} });
  });

  it("keep what is not known", () => {
    assert.equal(check({ metadata: unknown })["metadata"], unknown);
    const metadata = { name: unknown, namespace: unknown };
    assert.deepEqual(check({ metadata })["metadata"], metadata);
  });

  it("have no namespace where the kind has none, and secret data where it is a Secret", () => {
    const namespace = check({ metadata: { name: "x" } }, {}, kind("core/v1:Namespace"));
    assert.deepEqual(namespace["metadata"], { name: "x" });
    const { stringData } = check({ stringData: { a: "1" } }, {}, kind("core/v1:Secret"));
    assert.deepEqual(stringData, secret({ a: "1" }));
  });
});

describe("inputs after a refresh", () => {
  const cpu = (amount: string): PropertyMap => ({ cpu: amount });
  const nested = (b: string): PropertyMap => ({ a: { b, c: "1" } });
  const [one, other] = [{ l: [{ n: "a" }] }, { l: [{ n: "b" }] }];
  const [ab, a] = [{ a: "1", b: "1" }, { a: "1" }];
  const written = { stringData: a };
  type Case = readonly [inputs: PropertyMap, state: PropertyMap, live: PropertyMap, PropertyMap];
  const cases: Readonly<Record<string, Case>> = {
    "stay without a change": [a, { a: "1", b: 2 }, { a: "1", b: 3 }, a],
    "stay where the server writes them differently": [
      cpu("1000m"),
      cpu("1"),
      cpu("1"),
      cpu("1000m"),
    ],
    "follow a change": [nested("1"), nested("1"), nested("2"), nested("2")],
    "follow a removal": [ab, ab, a, a],
    "follow a change in a list": [one, one, other, other],
    "follow a longer list": [{ l: ["a"] }, { l: ["a"] }, { l: ["a", "b"] }, { l: ["a", "b"] }],
    "stay where they are never shown": [written, {}, {}, written],
    "stay secret": [{ a: secret("1") }, { a: secret("1") }, { a: "2" }, { a: secret("2") }],
  };
  eachCase("%s", cases, ([inputs, state, live, expected]) =>
    assert.deepEqual(liveInputs(inputs, state, live), expected),
  );
});

describe("the state of a Kubernetes object", () => {
  it("marks what is secret in the inputs and leaves out who manages what", () => {
    const object = { apiVersion: "v1", kind: "Secret", type: "Opaque" };
    const metadata = { name: "x", managedFields: [{ manager: "m" }] };
    const live = { ...object, metadata, data: { a: "MQ==" } };
    const inputs = { metadata: { name: secret("x") }, stringData: { a: "1" } };
    assert.deepEqual(objectState(live, inputs, "manager"), {
      ...object,
      metadata: { name: secret("x") },
      data: secret({ a: "MQ==" }),
      __fieldManager: "manager",
      __initialApiVersion: "v1",
    });
  });
});

describe("readiness", () => {
  const pods = { desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2 };
  const unscheduled = { ...pods, currentNumberScheduled: 1 };
  const none = { desiredNumberScheduled: 0 };
  const old = { replicas: 2, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 };
  const late = { type: "Progressing", reason: "ProgressDeadlineExceeded", message: "timed out" };
  /** By its kind: what is said of what has been seen, and of which replicas. */
  const cases: Readonly<
    Record<string, readonly [string, PropertyMap, string, RegExp, replicas?: number][]>
  > = {
    ConfigMap: [["any", {}, "ready", /^ready$/]],
    DaemonSet: [
      ["unseen", { ...none, observedGeneration: null }, "waiting", /generation 0 of 2/],
      ["without nodes", none, "ready", /0 of 0/],
      ["with pods to schedule", unscheduled, "waiting", /1 of 2 pods scheduled/],
      ["with pods that are away", { ...pods, numberAvailable: 1 }, "waiting", /1 of 2 pods avail/],
    ],
    Deployment: [
      ["of none", {}, "ready", /0 of 0/, 0],
      ["without pods", {}, "waiting", /0 of 1 pods updated/],
      ["with an old pod", old, "waiting", /1 old pods still to go/, 1],
      ["that is stuck", { conditions: [late] }, "failed", /timed out/],
    ],
  };
  for (const [kind, all] of Object.entries(cases)) {
    for (const [what, seen, state, message, replicas] of all) {
      it(`of a ${kind}, ${what}, is ${state}`, () => {
        const status = { observedGeneration: 2, ...seen };
        const spec = { replicas };
        const found = readiness({ kind, metadata: { generation: 2 }, spec, status });
        assert.equal(found.state, state);
        assert.match(found.message, message);
      });
    }
  }

  it("is explained by the pods that are not ready and the latest warnings", () => {
    const ready = [{ type: "Ready", status: "True" }];
    const pending = { phase: "Pending" };
    const waiting = { name: "main", ready: false, state: { waiting: { reason: "ErrImagePull" } } };
    const homeless = { type: "PodScheduled", status: "False", message: "no node fits" };
    const time = "2026-01-01T00:00:0";
    const objects: unknown = [
      { metadata: { name: "good" }, status: { phase: "Running", conditions: ready } },
      {
        ...{ metadata: { name: "bad" }, spec: { nodeName: "win-1" } },
        status: { ...pending, containerStatuses: [waiting] },
      },
      { metadata: { name: "homeless" }, status: { ...pending, conditions: [homeless] } },
    ];
    const events: unknown = [
      { reason: "Old", message: "first", lastTimestamp: `${time}0Z`, involvedObject: {} },
      {
        ...{ reason: "Failed", message: "pull", lastTimestamp: `${time}1Z` },
        involvedObject: { name: "bad" },
      },
    ];
    const report = describePods(objects as V1Pod[], events as CoreV1Event[]);
    assert.deepEqual(report.split("\n"), [
      "pod bad on win-1 is Pending: main waits: ErrImagePull",
      "pod homeless on no node is Pending: no node fits",
      "event Failed on bad: pull",
      "event Old on : first",
    ]);
  });
});
