import assert from "node:assert/strict";
import { checkObject } from "../../../plugins/kubernetes/checked-inputs.ts";
import { type Kind, kindOf } from "../../../plugins/kubernetes/kinds.ts";
import { liveInputs, objectState } from "../../../plugins/kubernetes/object-state.ts";
import { type PropertyMap, secret, unknown } from "../../../plugins/protocol/property-value.ts";

function kind(name: string): Kind {
  const found = kindOf(`kubernetes:${name}`);
  assert.ok(found, name);
  return found;
}

const configMap = kind("core/v1:ConfigMap");

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
