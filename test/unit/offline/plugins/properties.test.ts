import assert from "node:assert/strict";

import { remoteCommandProperties } from "../../../../offline/plugins/command/properties.ts";
import {
  diffProperties,
  kindOf,
  propertyPath,
} from "../../../../offline/plugins/protocol/property-diff.ts";
import { checkProperties } from "../../../../offline/plugins/protocol/property-shape.ts";
import {
  type PropertyMap,
  reveal,
  sameValue,
  secret,
  unknown,
} from "../../../../offline/plugins/protocol/property-value.ts";
import { eachCase } from "../../each-case.ts";
import { redactor } from "../../../../offline/plugins/protocol/redaction.ts";

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const asset = (hash: string): PropertyMap => ({
  [SIGNATURE]: "c44067f5952c0a294b673a41bacd8c17",
  hash,
});

describe("differences between properties", () => {
  type Case = readonly [PropertyMap, PropertyMap, changes: Readonly<Record<string, string>>];
  const cases: Readonly<Record<string, Case>> = {
    nothing: [{ a: 1, b: ["x"] }, { b: ["x"], a: 1 }, {}],
    "a null for nothing": [{ a: null }, {}, {}],
    "a new property": [{}, { a: 1 }, { a: "add" }],
    "a removed one": [{ a: 1 }, {}, { a: "delete" }],
    "a nested one": [{ a: { b: 1, c: 2 } }, { a: { b: 2, c: 2 } }, { "a.b": "update" }],
    "an element": [{ a: ["x", "y"] }, { a: ["x", "z", "w"] }, { "a[1]": "update", "a[2]": "add" }],
    "a key with a dot": [{ a: { "b.c": 1 } }, { a: {} }, { 'a["b.c"]': "delete" }],
    "another type": [{ a: "1" }, { a: 1 }, { a: "update" }],
    "the same asset": [{ a: asset("1") }, { a: asset("1") }, {}],
    "another asset": [{ a: asset("1") }, { a: asset("2") }, { a: "update" }],
    "a value that is not known": [{ a: 1 }, { a: unknown }, { a: "update" }],
    "a value that stays unknown": [{ a: unknown }, { a: unknown }, { a: "update" }],
    "the same secret": [{ a: secret("x") }, { a: secret("x") }, {}],
    "another secret": [{ a: secret({ b: 1 }) }, { a: secret({ b: 2 }) }, { a: "update" }],
    "a value that became secret": [{ a: "x" }, { a: secret("x") }, { a: "update" }],
  };
  eachCase("sees %s", cases, ([olds, news, expected]) => {
    const changes = diffProperties(olds, news);
    const seen = changes.map((change) => [propertyPath(change.keys), kindOf(change)]);
    assert.deepEqual(Object.fromEntries(seen), expected);
  });
});

describe("property values", () => {
  it("are revealed at every depth, and references become ids", () => {
    const reference = { [SIGNATURE]: "5cf8f73096256a8f31e491e813e4eb8e", urn: "urn", id: "id" };
    const value = { a: secret({ b: [secret("x")] }), c: reference };
    assert.deepEqual(reveal(value), { a: { b: ["x"] }, c: "id" });
  });

  it("are the same only with the same keys", () => {
    assert.ok(sameValue({ a: 1 }, { a: 1, b: null }));
    assert.ok(!sameValue({ a: 1 }, { a: 1, b: 0 }));
    assert.ok(!sameValue([1], [1, 2]));
  });

  it("get their defaults inside a secret too, and become secret if they must", () => {
    const { inputs, failures } = checkProperties("command", remoteCommandProperties, {
      addPreviousOutputInEnv: false,
      connection: {
        host: secret("h"),
        hostKey: "k",
        proxy: { host: "p", hostKey: "k", port: unknown },
      },
    });
    assert.deepEqual(failures, []);
    const endpoint = { user: "root", hostKey: "k", dialErrorLimit: 10, perDialTimeout: 15 };
    assert.deepEqual(inputs, {
      addPreviousOutputInEnv: false,
      connection: secret({
        host: secret("h"),
        port: 22,
        proxy: { host: "p", port: unknown, ...endpoint },
        ...endpoint,
      }),
    });
  });

  it("may be secrets without a value, as the engine sends those that a failed resource did not give", () => {
    const { failures } = checkProperties("command", remoteCommandProperties, {
      addPreviousOutputInEnv: false,
      connection: { [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270" },
      stdin: { [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270" },
    });
    assert.deepEqual(failures, []);
    const none = checkProperties("command", remoteCommandProperties, {});
    assert.deepEqual(
      none.failures.map(({ property }) => property),
      ["addPreviousOutputInEnv", "connection"],
    );
  });
});

describe("redaction", () => {
  type Case = readonly [PropertyMap, text: string, shown: string];
  const cases: Readonly<Record<string, Case>> = {
    "a secret": [{ a: secret("hunter2-x") }, "is hunter2-x!", "is [secret]!"],
    "nothing that is not secret": [{ a: "hunter2-x" }, "is hunter2-x!", "is hunter2-x!"],
    "each line of a secret": [{ a: secret("line one\nline two\n") }, "> line two", "> [secret]"],
    "what is deep in a secret": [{ a: secret({ b: ["deep secret"] }) }, "deep secret", "[secret]"],
    "a secret in a list": [{ a: ["x", secret("in a list")] }, "in a list", "[secret]"],
    "strings of secret JSON": [{ a: secret('{"k":"json value"}') }, "json value", "[secret]"],
    "no short piece": [{ a: secret("abc") }, "abcabc", "abcabc"],
    "the longer one first": [
      { a: secret("secret-1"), b: secret("secret-12") },
      "secret-12",
      "[secret]",
    ],
    "text that looks like JSON": [{ a: secret("{not json") }, "{not json", "[secret]"],
  };
  eachCase("hides %s", cases, ([properties, text, shown]) =>
    assert.equal(redactor(properties)(text), shown),
  );
});
