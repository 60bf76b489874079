import assert from "node:assert/strict";
import type { CoreV1Event, V1Pod } from "@kubernetes/client-node";

import { checkObject } from "../../../../offline/plugins/kubernetes/checked-inputs.ts";
import { type Kind, kinds } from "../../../../offline/plugins/kubernetes/kinds.ts";
import {
  diffObject,
  liveInputs,
  objectState,
} from "../../../../offline/plugins/kubernetes/object-type.ts";
import { describe as describePods } from "../../../../offline/plugins/kubernetes/await-ready.ts";
import { readiness } from "../../../../offline/plugins/kubernetes/readiness.ts";
import { propertyPath } from "../../../../offline/plugins/protocol/property-diff.ts";
import { diffSettings } from "../../../../offline/plugins/kubernetes/settings.ts";
import {
  type PropertyMap,
  type PropertyValue,
  secret,
  unknown,
} from "../../../../offline/plugins/protocol/property-value.ts";
import { eachCase } from "../../each-case.ts";

const kind = (name: string): Kind => kinds.get(`kubernetes:${name}`) ?? assert.fail(name);

const configMap = kind("core/v1:ConfigMap");
const daemonSet = kind("apps/v1:DaemonSet");

describe("differences between Kubernetes objects", () => {
  const named = (more: PropertyMap): PropertyMap => ({
    metadata: { name: "x", namespace: "default" },
    ...more,
  });
  const at = (name: PropertyValue, namespace: string): PropertyMap => ({
    metadata: { name, namespace },
  });
  const selector = (app: string): PropertyMap => ({
    spec: { selector: { matchLabels: { app } }, template: {} },
  });
  const clusterRole = kind("rbac.authorization.k8s.io/v1:ClusterRole");
  const role = (verbs: readonly string[]): PropertyMap => named({ rules: [{ verbs }] });
  const bound = (name: string): PropertyMap => named({ roleRef: { name } });
  const [one, two] = [{ data: { a: "1" } }, { data: { a: "2" } }];
  const labels = { l: "1" };
  const labelled = {
    ...named(selector("a")),
    metadata: { name: "x", namespace: "default", labels },
  };
  const sealed = (a: string): PropertyMap => named({ stringData: secret({ a }) });
  const dataSecret = kind("core/v1:Secret");
  const binding = kind("rbac.authorization.k8s.io/v1:ClusterRoleBinding");

  type Case = readonly [
    what: string,
    of: Kind,
    olds: PropertyMap,
    news: PropertyMap,
    changed: string,
  ];
  /** By what is done for a difference. */
  const cases: Readonly<Record<"update" | "replace" | "delete and replace", readonly Case[]>> = {
    update: [
      ["a role's verbs", clusterRole, role(["get"]), role(["get", "list"]), "rules[0].verbs[1]"],
      ["a label", daemonSet, named(selector("a")), labelled, "metadata.labels"],
    ],
    replace: [
      ["another name", configMap, named({}), at("y", "default"), "metadata.name"],
      ["another namespace", configMap, named({}), at("x", "n"), "metadata.namespace"],
      ["an unknown name", configMap, named({}), at(unknown, "default"), "metadata.name"],
    ],
    "delete and replace": [
      ["data of a ConfigMap", configMap, named(one), named(two), "data.a"],
      ["data of a Secret", dataSecret, sealed("1"), sealed("2"), "stringData"],
      [
        ...(["a selector", daemonSet, named(selector("a")), named(selector("b"))] as const),
        "spec.selector.matchLabels.app",
      ],
      ["whom a binding binds to", binding, bound("a"), bound("b"), "roleRef.name"],
    ],
  };
  for (const [done, all] of Object.entries(cases)) {
    for (const [what, of, olds, news, changed] of all) {
      it(`are ${what}: ${done}`, () => {
        const { changes, deleteBeforeReplace } = diffObject(of, olds, news);
        const isReplaced = done !== "update";
        assert.deepEqual(
          changes.map(({ keys, replaces }) => [propertyPath(keys), replaces]),
          [[changed, isReplaced]],
        );
        if (isReplaced) assert.equal(deleteBeforeReplace, done === "delete and replace");
      });
    }
  }

  it("are empty for equal objects", () => {
    const { changes } = diffObject(configMap, named(one), named(one));
    assert.deepEqual(changes, []);
  });
});

describe("a changed provider", () => {
  const of = (kubeconfig: PropertyValue, clusterIdentifier: string): PropertyMap => ({
    kubeconfig,
    clusterIdentifier,
    version: "4.34.2",
  });
  const cases: Readonly<Record<string, readonly [PropertyMap, boolean]>> = {
    "keeps its objects for a kubeconfig that is not known": [of(unknown, "lab"), false],
    "keeps its objects for another address": [of(secret("other"), "lab"), false],
    "replaces its objects for another identifier": [of("lab", "other"), true],
  };
  eachCase("%s", cases, ([news, replaces]) => {
    const { changes } = diffSettings(of("lab", "lab"), news);
    assert.deepEqual([...new Set(changes.map((change) => change.replaces))], [replaces]);
  });

  it("does not count if only the engine's own settings differ", () => {
    const { changes } = diffSettings({ version: "4.34.1" }, { version: "4.34.2" });
    assert.deepEqual(changes, []);
  });
});

describe("checked inputs of Kubernetes objects", () => {
  const check = (news: PropertyMap, of: Kind = configMap): PropertyMap =>
    checkObject(of, news).inputs;

  it("keep unknown values", () => {
    assert.equal(check({ metadata: unknown })["metadata"], unknown);
    const metadata = { name: unknown, namespace: unknown };
    assert.deepEqual(check({ metadata })["metadata"], metadata);
  });

  it("get a namespace if the kind has one, and secret data in a Secret", () => {
    const { metadata } = check({ metadata: { name: "x" } });
    assert.deepEqual(metadata, { name: "x", namespace: "default" });
    const namespace = check({ metadata: { name: "x" } }, kind("core/v1:Namespace"));
    assert.deepEqual(namespace["metadata"], { name: "x" });
    const { stringData } = check({ stringData: { a: "1" } }, kind("core/v1:Secret"));
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
  it("marks secret inputs and leaves out managedFields", () => {
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

  it("is explained by unready pods and the latest warnings", () => {
    const ready = [{ type: "Ready", status: "True" }];
    const pending = { phase: "Pending" };
    const waiting = { image: "main:1", state: { waiting: { reason: "ErrImagePull" } } };
    const homeless = { type: "PodScheduled", status: "False", message: "no node fits" };
    const time = "2026-01-01T00:00:0";
    const objects: unknown = [
      { metadata: { name: "good" }, status: { phase: "Running", conditions: ready } },
      {
        metadata: { name: "bad" },
        spec: { nodeName: "win-1" },
        status: { ...pending, containerStatuses: [waiting] },
      },
      { metadata: { name: "homeless" }, status: { ...pending, conditions: [homeless] } },
    ];
    const events: unknown = [
      { reason: "Old", message: "first", lastTimestamp: `${time}0Z`, involvedObject: {} },
      {
        reason: "Failed",
        message: "pull",
        lastTimestamp: `${time}1Z`,
        involvedObject: { name: "bad" },
      },
    ];
    const report = describePods(objects as V1Pod[], events as CoreV1Event[]);
    assert.deepEqual(report.split("\n"), [
      "bad: the image main:1 cannot be pulled on win-1: ErrImagePull",
      "homeless is not scheduled: no node fits",
      "event Failed on bad: pull",
      "event Old on : first",
    ]);
  });
});
