import assert from "node:assert/strict";
import {
  addressNumber,
  addressText,
  contains,
  overlaps,
  parseRange,
  rangeText,
} from "../../../config/ipv4.ts";

describe("IPv4 addresses and ranges", () => {
  const addresses = ["0.0.0.0", "127.0.0.1", "192.168.150.10", "255.255.255.255"];
  for (const address of addresses) {
    it(`${address} survives being a number`, () =>
      assert.equal(addressText(addressNumber(address) ?? assert.fail()), address));
  }

  const noAddresses = ",1.2.3,1.2.3.4.5,1.2.3.256,0x7f.0.0.1,1.2.3.04,1.2.3.4 ,::1,3232235776";
  for (const text of noAddresses.split(",")) {
    it(`${JSON.stringify(text)} is no address`, () => assert.equal(addressNumber(text), undefined));
  }

  for (const end of ["", "/", "/33", "/-1", "/08", "/8/8"]) {
    it(`1.2.3.4${end} is no range`, () => assert.equal(parseRange(`1.2.3.4${end}`), undefined));
  }
  for (const text of ["1.2.3/8", "/8"]) {
    it(`${text} is no range`, () => assert.equal(parseRange(text), undefined));
  }

  it("a range loses its host bits", () => {
    assert.equal(rangeText(parseRange("192.168.150.77/24") ?? assert.fail()), "192.168.150.0/24");
    assert.equal(rangeText(parseRange("255.255.255.255/0") ?? assert.fail()), "0.0.0.0/0");
  });

  const pairs = [
    ["10.0.0.0/8", "10.255.255.255/32", true],
    ["10.0.0.0/8", "11.0.0.0/8", false],
    ["192.168.0.0/19", "192.168.32.0/19", false],
    ["192.168.0.0/16", "192.168.255.0/30", true],
    ["0.0.0.0/0", "203.0.113.0/24", true],
  ] as const;
  for (const [one, other, expected] of pairs) {
    it(`${one} and ${other} ${expected ? "overlap" : "are apart"}, both ways`, () => {
      const [first, second] = [parseRange(one), parseRange(other)];
      assert.ok(first !== undefined && second !== undefined);
      assert.equal(overlaps(first, second), expected);
      assert.equal(overlaps(second, first), expected);
      assert.equal(contains(first, second.first), expected);
    });
  }
});
