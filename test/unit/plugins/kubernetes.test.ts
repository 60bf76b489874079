import assert from "node:assert/strict";
import { checkObject } from "../../../plugins/kubernetes/checked-inputs.ts";
import { type Kind, kindOf } from "../../../plugins/kubernetes/kinds.ts";
import { diffObject } from "../../../plugins/kubernetes/object-diff.ts";
import { liveInputs, objectState } from "../../../plugins/kubernetes/object-state.ts";
import { describe as describePods } from "../../../plugins/kubernetes/pod-report.ts";
import { diffClusters } from "../../../plugins/kubernetes/provider.ts";
import { readiness } from "../../../plugins/kubernetes/readiness.ts";
import { type PropertyMap, secret, unknown } from "../../../plugins/protocol/property-value.ts";

function kind(name: string): Kind {
  const found = kindOf(`kubernetes:${name}`);
  assert.ok(found, name);
  return found;
}

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
  const cases: readonly {
    what: string;
    of?: Kind;
    settings?: typeof strict;
    olds: PropertyMap;
    news: PropertyMap;
    changed: readonly string[];
    replaced?: readonly string[];
    deletedFirst?: boolean;
  }[] = [
    { what: "nothing", olds: named({}), news: { metadata: { name: "x" } }, changed: [] },
    {
      what: "another name",
      olds: named({}),
      news: { metadata: { name: "y" } },
      changed: ["metadata.name"],
      replaced: ["metadata.name"],
      deletedFirst: false,
    },
    {
      what: "another namespace",
      olds: named({}),
      news: { metadata: { name: "x", namespace: "n" } },
      changed: ["metadata.namespace"],
      replaced: ["metadata.namespace"],
      deletedFirst: false,
    },
    {
      what: "a name that is not known",
      olds: named({}),
      news: { metadata: { name: unknown } },
      changed: ["metadata.name"],
      replaced: ["metadata.name"],
      deletedFirst: false,
    },
    {
      what: "data of a ConfigMap",
      olds: named({ data: { a: "1" } }),
      news: named({ data: { a: "2" } }),
      changed: ["data.a"],
      replaced: ["data.a"],
      deletedFirst: true,
    },
    {
      what: "data of a ConfigMap with a name that was made up",
      olds: autonamed({ data: { a: "1" } }),
      news: autonamed({ data: { a: "2" } }),
      changed: ["data.a"],
      replaced: ["data.a"],
      deletedFirst: false,
    },
    {
      what: "data of a ConfigMap where it is mutable",
      settings: { ...strict, configMapMutable: true },
      olds: named({ data: { a: "1" } }),
      news: named({ data: { a: "2" } }),
      changed: ["data.a"],
    },
    {
      what: "data of an immutable ConfigMap where data is mutable",
      settings: { ...strict, configMapMutable: true },
      olds: named({ data: { a: "1" }, immutable: true }),
      news: named({ data: { a: "2" }, immutable: true }),
      changed: ["data.a"],
      replaced: ["data.a"],
      deletedFirst: true,
    },
    {
      what: "data of a Secret",
      of: kind("core/v1:Secret"),
      olds: named({ stringData: secret({ a: "1" }) }),
      news: named({ stringData: secret({ a: "2" }) }),
      changed: ["stringData"],
      replaced: ["stringData"],
      deletedFirst: true,
    },
    {
      what: "a label",
      of: daemonSet,
      olds: named(selector("a")),
      news: { ...named(selector("a")), metadata: { name: "x", labels: { l: "1" } } },
      changed: ["metadata.labels"],
    },
    {
      what: "a selector",
      of: daemonSet,
      olds: named(selector("a")),
      news: named(selector("b")),
      changed: ["spec.selector.matchLabels.app"],
      replaced: ["spec.selector.matchLabels.app"],
      deletedFirst: true,
    },
    {
      what: "whom a binding binds to",
      of: kind("rbac.authorization.k8s.io/v1:ClusterRoleBinding"),
      olds: named({ roleRef: { name: "a" } }),
      news: { metadata: { name: "x" }, roleRef: { name: "b" } },
      changed: ["roleRef.name"],
      replaced: ["roleRef.name"],
      deletedFirst: true,
    },
  ];
  for (const { what, of = configMap, settings = strict, olds, news, ...expected } of cases) {
    it(`sees ${what}`, () => {
      const { changes, deleteBeforeReplace } = diffObject(of, settings, olds, news);
      assert.deepEqual(
        changes.map(({ path }) => path),
        expected.changed,
      );
      const replaced = changes.filter(({ replaces }) => replaces).map(({ path }) => path);
      assert.deepEqual(replaced, expected.replaced ?? []);
      if (replaced.length > 0) assert.equal(deleteBeforeReplace, expected.deletedFirst);
    });
  }
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
  const cases: readonly [string, PropertyMap, PropertyMap, PropertyMap, PropertyMap][] = [
    ["stay without a change", { a: "1" }, { a: "1", b: 2 }, { a: "1", b: 3 }, { a: "1" }],
    [
      "stay where the server writes them differently",
      { cpu: "1000m" },
      { cpu: "1" },
      { cpu: "1" },
      { cpu: "1000m" },
    ],
    [
      "follow a change",
      { a: { b: "1", c: "1" } },
      { a: { b: "1", c: "1" } },
      { a: { b: "2", c: "1" } },
      { a: { b: "2", c: "1" } },
    ],
    ["follow a removal", { a: "1", b: "1" }, { a: "1", b: "1" }, { a: "1" }, { a: "1" }],
    [
      "follow a change in a list",
      { l: [{ n: "a" }] },
      { l: [{ n: "a" }] },
      { l: [{ n: "b" }] },
      { l: [{ n: "b" }] },
    ],
    ["follow a longer list", { l: ["a"] }, { l: ["a"] }, { l: ["a", "b"] }, { l: ["a", "b"] }],
    [
      "stay where they are never shown",
      { stringData: { a: "1" } },
      {},
      {},
      { stringData: { a: "1" } },
    ],
    ["stay secret", { a: secret("1") }, { a: secret("1") }, { a: "2" }, { a: secret("2") }],
  ];
  for (const [what, inputs, state, live, expected] of cases) {
    it(what, () => {
      assert.deepEqual(liveInputs(inputs, state, live), expected);
    });
  }
});

describe("the state of a Kubernetes object", () => {
  it("marks what is secret in the inputs and leaves out who manages what", () => {
    const live = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "x", managedFields: [{ manager: "m" }] },
      data: { a: "MQ==" },
      type: "Opaque",
    };
    const inputs = { metadata: { name: secret("x") }, stringData: { a: "1" } };
    assert.deepEqual(objectState(live, inputs, "manager"), {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secret("x") },
      data: secret({ a: "MQ==" }),
      type: "Opaque",
      __fieldManager: "manager",
      __initialApiVersion: "v1",
    });
  });
});

describe("readiness", () => {
  const observed = { observedGeneration: 2 };
  const cases: readonly [string, string, PropertyMap, PropertyMap, string, RegExp][] = [
    ["a ConfigMap", "ConfigMap", {}, {}, "ready", /^ready$/],
    [
      "an unseen DaemonSet",
      "DaemonSet",
      {},
      { desiredNumberScheduled: 0 },
      "waiting",
      /generation 0 of 2/,
    ],
    [
      "one without nodes",
      "DaemonSet",
      {},
      { ...observed, desiredNumberScheduled: 0 },
      "ready",
      /0 of 0/,
    ],
    [
      "one with pods to schedule",
      "DaemonSet",
      {},
      { ...observed, desiredNumberScheduled: 2, currentNumberScheduled: 1 },
      "waiting",
      /1 of 2 pods scheduled/,
    ],
    [
      "one with pods that are not available",
      "DaemonSet",
      {},
      {
        ...observed,
        desiredNumberScheduled: 2,
        currentNumberScheduled: 2,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
      "waiting",
      /1 of 2 pods available/,
    ],
    ["a Deployment of none", "Deployment", { replicas: 0 }, observed, "ready", /0 of 0/],
    ["a Deployment without pods", "Deployment", {}, observed, "waiting", /0 of 1 pods updated/],
    [
      "a Deployment with an old pod",
      "Deployment",
      { replicas: 1 },
      { ...observed, replicas: 2, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 },
      "waiting",
      /1 old pods still to go/,
    ],
    [
      "a Deployment that is stuck",
      "Deployment",
      {},
      {
        ...observed,
        conditions: [
          { type: "Progressing", reason: "ProgressDeadlineExceeded", message: "timed out" },
        ],
      },
      "failed",
      /timed out/,
    ],
  ];
  for (const [what, name, spec, status, state, message] of cases) {
    it(`of ${what} is ${state}`, () => {
      const found = readiness({ kind: name, metadata: { generation: 2 }, spec, status });
      assert.equal(found.state, state);
      assert.match(found.message, message);
    });
  }

  it("is explained by the pods that are not ready and the latest warnings", () => {
    const ready = [{ type: "Ready", status: "True" }];
    const report = describePods(
      [
        { metadata: { name: "good" }, status: { phase: "Running", conditions: ready } },
        {
          metadata: { name: "bad" },
          spec: { nodeName: "win-1" },
          status: {
            phase: "Pending",
            containerStatuses: [
              { name: "main", ready: false, state: { waiting: { reason: "ErrImagePull" } } },
            ],
          },
        },
        {
          metadata: { name: "homeless" },
          status: {
            phase: "Pending",
            conditions: [{ type: "PodScheduled", status: "False", message: "no node fits" }],
          },
        },
      ],
      [
        { reason: "Old", message: "first", lastTimestamp: "2026-01-01T00:00:00Z" },
        {
          reason: "Failed",
          message: "pull",
          lastTimestamp: "2026-01-01T00:00:01Z",
          involvedObject: { name: "bad" },
        },
      ],
    );
    assert.equal(
      report,
      [
        "pod bad on win-1 is Pending: container main waits: ErrImagePull",
        "pod homeless on no node is Pending: no node fits",
        "event Failed on bad: pull",
        "event Old on : first",
      ].join("\n"),
    );
  });
});

describe("a changed provider", () => {
  const kubeconfig = (port: number, user = "u"): string =>
    JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k", user } }],
      clusters: [{ name: "k", cluster: { server: `https://127.0.0.1:${String(port)}` } }],
    });
  const cases: readonly [string, PropertyMap, PropertyMap, boolean][] = [
    [
      "the same cluster with another user",
      { kubeconfig: kubeconfig(1) },
      { kubeconfig: kubeconfig(1, "v") },
      false,
    ],
    ["another cluster", { kubeconfig: kubeconfig(1) }, { kubeconfig: kubeconfig(2) }, true],
    [
      "a kubeconfig that is not known",
      { kubeconfig: kubeconfig(1) },
      { kubeconfig: unknown },
      true,
    ],
    [
      "a kubeconfig that is not known, of a cluster with an identifier",
      { kubeconfig: kubeconfig(1), clusterIdentifier: "lab" },
      { kubeconfig: unknown, clusterIdentifier: "lab" },
      false,
    ],
    [
      "another address of a cluster with an identifier",
      { kubeconfig: kubeconfig(1), clusterIdentifier: "lab" },
      { kubeconfig: secret(kubeconfig(2)), clusterIdentifier: "lab" },
      false,
    ],
    ["another identifier", { clusterIdentifier: "lab" }, { clusterIdentifier: "other" }, true],
  ];
  for (const [what, olds, news, replaced] of cases) {
    it(`${replaced ? "replaces" : "keeps"} its objects for ${what}`, async () => {
      const { changes } = await diffClusters(olds, news);
      assert.ok(changes.length > 0);
      assert.equal(
        changes.some(({ replaces }) => replaces),
        replaced,
      );
    });
  }

  it("is no change when only the engine's own settings differ", async () => {
    const { changes } = await diffClusters({ version: "4.34.1" }, { version: "4.34.2" });
    assert.deepEqual(changes, []);
  });
});
