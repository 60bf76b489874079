import assert from "node:assert/strict";
import { checkObject } from "../../../plugins/kubernetes/checked-inputs.ts";
import { type Kind, kindOf } from "../../../plugins/kubernetes/kinds.ts";
import { liveInputs, objectState } from "../../../plugins/kubernetes/object-state.ts";
import { type PropertyMap, secret, unknown } from "../../../plugins/protocol/property-value.ts";
import { eachCase } from "../each-case.ts";

const kind = (name: string): Kind => kindOf(`kubernetes:${name}`) ?? assert.fail(name);

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
