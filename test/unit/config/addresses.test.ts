import assert from "node:assert/strict";

import { addressPlan, assignAddresses, freeAddresses } from "../../../config/address-plan.ts";
import {
  addressNumber,
  addressText,
  contains,
  overlaps,
  parseRange,
  rangeText,
} from "../../../config/ipv4.ts";
import { eachCase } from "../each-case.ts";

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

describe("address plan", () => {
  const plans = [
    {
      cidr: "192.168.150.0/24",
      gateway: "192.168.150.1",
      machines: { first: "192.168.150.2", last: "192.168.150.99" },
      containerRange: "192.168.150.128/25",
      firstContainer: "192.168.150.128",
    },
    {
      cidr: "10.8.0.0/16",
      gateway: "10.8.0.1",
      machines: { first: "10.8.0.2", last: "10.8.0.99" },
      containerRange: "10.8.128.0/17",
      firstContainer: "10.8.128.0",
    },
  ];
  for (const plan of plans) {
    it(`of ${plan.cidr}`, () => assert.deepEqual(addressPlan(plan.cidr), plan));

    it(`of ${plan.cidr} never gives a container a machine's address`, () => {
      const containers = parseRange(plan.containerRange) ?? assert.fail();
      for (const address of freeAddresses(plan.cidr, [])) {
        assert.ok(!overlaps(containers, parseRange(`${address}/32`) ?? assert.fail()), address);
      }
    });
  }

  for (const cidr of ["192.168.150.0/25", "192.168.150.0", ""]) {
    it(`refuses ${JSON.stringify(cidr)}`, () => assert.throws(() => addressPlan(cidr), RangeError));
  }
});

describe("addresses of machines", () => {
  const cidr = "192.168.150.0/24";
  /** What is asked for, and what is given for it, each by its last number. */
  const cases: Readonly<Record<string, readonly number[]>> = {
    "": [],
    "any any": [10, 11],
    "any 10 any": [11, 10, 12],
    "2 any": [2, 10],
  };
  const address = (last: number | string): string => `192.168.150.${last}`;
  eachCase("as wanted: %s", cases, (given, line) => {
    const wanted = line.split(" ").filter((each) => each !== "");
    const asked = wanted.map((each) => (each === "any" ? undefined : address(each)));
    assert.deepEqual(assignAddresses(cidr, asked), given.map(address));
  });

  it("stay when one more machine is asked for", () => {
    const before = assignAddresses(cidr, [undefined, "192.168.150.40", undefined]);
    const after = assignAddresses(cidr, [undefined, "192.168.150.40", undefined, undefined]);
    assert.deepEqual(after.slice(0, before.length), before);
  });

  it("run out at 90, with an error", () => {
    const most = Array.from({ length: 90 }, () => undefined);
    assert.equal(new Set(assignAddresses(cidr, most)).size, 90);
    assert.throws(() => assignAddresses(cidr, [...most, undefined]), RangeError);
  });
});
