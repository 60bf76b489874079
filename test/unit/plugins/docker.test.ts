import assert from "node:assert/strict";
import {
  networkType,
  withoutDefaults,
  createBody,
  type InspectedNetwork,
  liveInputs,
  networkState,
} from "../../../plugins/docker/network.ts";
import type { PropertyMap } from "../../../plugins/protocol/property-value.ts";
import type { Difference } from "../../../plugins/protocol/resource-type.ts";

const inspected: InspectedNetwork = {
  Name: "lab",
  Id: "0123",
  Scope: "local",
  Driver: "bridge",
  EnableIPv6: false,
  Internal: false,
  Attachable: false,
  Ingress: false,
  Options: { "com.docker.network.bridge.name": "kw-lab", added: "by Docker" },
  Labels: { b: "2", a: "1" },
  IPAM: {
    Driver: "default",
    Options: null,
    Config: [{ Subnet: "192.0.2.0/24", Gateway: "192.0.2.1", IPRange: "192.0.2.128/25" }],
  },
};

const inputs: PropertyMap = {
  name: "lab",
  driver: "bridge",
  options: { "com.docker.network.bridge.name": "kw-lab" },
  labels: [
    { label: "b", value: "2" },
    { label: "a", value: "1" },
  ],
  ipamConfigs: [{ subnet: "192.0.2.0/24", gateway: "192.0.2.1" }],
};

describe("a Docker network", () => {
  it("is made with what the inputs say", () => {
    assert.deepEqual(JSON.parse(JSON.stringify(createBody(inputs))), {
      Name: "lab",
      CheckDuplicate: true,
      Driver: "bridge",
      Options: { "com.docker.network.bridge.name": "kw-lab" },
      Internal: false,
      Attachable: false,
      Ingress: false,
      EnableIPv6: false,
      Labels: { a: "1", b: "2" },
      IPAM: { Driver: "default", Config: [{ Subnet: "192.0.2.0/24", Gateway: "192.0.2.1" }] },
    });
  });

  const diff = (oldInputs: PropertyMap, state: PropertyMap, news: PropertyMap): Difference =>
    networkType(() => {
      throw new Error("a difference is found without asking Docker");
    }).diff({ id: "0123", oldInputs, olds: state, news }) as Difference;

  const cases: readonly [string, Partial<InspectedNetwork>, PropertyMap, readonly string[]][] = [
    ["nothing", {}, inputs, []],
    ["a changed input", {}, { ...inputs, internal: true }, ["internal"]],
    ["an option that changed behind its back", { Options: {} }, inputs, ["options"]],
    ["an option that is no longer wanted", {}, { ...inputs, options: {} }, ["options"]],
    ["a label that changed", { Labels: { a: "1", b: "3" } }, inputs, ["labels[0].value"]],
    [
      "another range",
      {},
      { ...inputs, ipamConfigs: [{ subnet: "198.51.100.0/24" }] },
      ["ipamConfigs[0].subnet", "ipamConfigs[0].gateway"],
    ],
  ];
  for (const [what, live, news, expected] of cases) {
    it(`is replaced for ${what}`, () => {
      const state = networkState({ ...inspected, ...live });
      const { changes, deleteBeforeReplace } = diff(inputs, state, news);
      const paths = changes.map(({ path }) => path.replace(/^(options)\[.*/, "$1")).sort();
      assert.deepEqual(paths, [...expected].sort());
      assert.ok(changes.every(({ replaces }) => replaces));
      assert.ok(deleteBeforeReplace);
    });
  }

  it("is the same for a state that the official plugin wrote", () => {
    const officialInputs: PropertyMap = {
      ...inputs,
      __defaults: [],
      ipamConfigs: [{ __defaults: [], subnet: "192.0.2.0/24", gateway: "192.0.2.1" }],
    };
    assert.deepEqual(withoutDefaults(officialInputs), inputs);
    assert.deepEqual(diff(officialInputs, networkState(inspected), officialInputs).changes, []);
  });

  it("keeps its inputs in a refresh without a change", () => {
    assert.deepEqual(liveInputs(inputs, networkState(inspected)), inputs);
  });
});
