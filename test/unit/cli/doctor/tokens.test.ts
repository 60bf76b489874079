import assert from "node:assert/strict";
import { judgeTokens, knownTokens } from "../../../../cli/doctor/tokens.ts";
import type { KnownToken } from "../../../../cli/doctor/tokens.ts";

const now = new Date("2027-03-01T12:00:00Z");
const token = (node: string, expires: string | undefined): KnownToken => ({
  description: `kindows: join of ${node}`,
  expires: expires === undefined ? undefined : new Date(expires),
});

describe("the token of a join that was not finished", () => {
  const cases: readonly (readonly [string, readonly KnownToken[] | undefined, RegExp])[] = [
    ["is good", [token("win-2", "2027-03-01T12:30:00Z")], /its token is still good/],
    ["has expired and is still there", [token("win-2", "2027-03-01T11:00:00Z")], /has expired/],
    ["has expired and is gone", [], /has expired/],
    ["is another node's", [token("win-1", "2027-03-01T13:00:00Z")], /has expired/],
    ["says no date", [token("win-2", undefined)], /has expired/],
    ["cannot be seen", undefined, /whether its token is still good cannot be seen/],
  ];
  for (const [name, tokens, seen] of cases) {
    it(name, () => {
      const [found, ...rest] = judgeTokens(["win-2"], tokens, now);
      assert.deepEqual(rest, []);
      assert.equal(found?.name, "join of win-2");
      assert.match(found.seen, seen);
      assert.match(found.remedy, /kindows up/);
      assert.equal(found.repair, undefined);
    });
  }

  it("is nobody's where all have joined", () => {
    assert.deepEqual(judgeTokens([], [token("win-1", "2027-03-01T11:00:00Z")], now), []);
  });
});

describe("tokens of a cluster", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");

  it("are read from their Secrets, without what is secret of them", () => {
    const data = {
      description: base64("kindows: join of win-1"),
      expiration: base64("2027-03-01T13:00:00Z"),
      "token-secret": base64("0123456789abcdef"),
    };
    assert.deepEqual(knownTokens({ items: [{ data }, { data: null }, {}] }), [
      token("win-1", "2027-03-01T13:00:00Z"),
      { description: "", expires: undefined },
      { description: "", expires: undefined },
    ]);
  });

  it("are refused where the answer is something else", () => {
    assert.throws(() => knownTokens({ kind: "Status", message: "no" }));
  });
});
