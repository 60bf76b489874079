import assert from "node:assert/strict";
import { macAddress } from "../../../components/machine/mac-address.ts";

describe("macAddress", () => {
  it("is a stable address in QEMU's range", () => {
    assert.match(macAddress("kindows-dev", "win-1"), /^52:54:00(:[0-9a-f]{2}){3}$/);
    assert.equal(macAddress("kindows-dev", "win-1"), macAddress("kindows-dev", "win-1"));
  });

  const pairs: readonly [string, [string, string], [string, string]][] = [
    ["two machines of a lab", ["kindows-a", "win-1"], ["kindows-a", "win-2"]],
    ["the same machine in two labs", ["kindows-a", "win-1"], ["kindows-b", "win-1"]],
    ["names that would join to the same text", ["kindows-a", "b-win"], ["kindows-a-b", "win"]],
  ];
  for (const [what, one, other] of pairs) {
    it(`differs for ${what}`, () => {
      assert.notEqual(macAddress(...one), macAddress(...other));
    });
  }
});
