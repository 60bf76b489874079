import assert from "node:assert/strict";
import { addressPlan, assignAddresses, freeAddresses } from "../../../config/address-plan.ts";
import { overlaps, parseRange } from "../../../config/ipv4.ts";

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
    it(`of ${plan.cidr}`, () => {
      assert.deepEqual(addressPlan(plan.cidr), plan);
    });

    it(`of ${plan.cidr} never gives a container a machine's address`, () => {
      const containers = parseRange(plan.containerRange) ?? assert.fail();
      for (const address of freeAddresses(plan.cidr, [])) {
        assert.ok(!overlaps(containers, parseRange(`${address}/32`) ?? assert.fail()), address);
      }
    });
  }

  for (const cidr of ["192.168.150.0/25", "192.168.150.0", ""]) {
    it(`refuses ${JSON.stringify(cidr)}`, () => {
      assert.throws(() => addressPlan(cidr), RangeError);
    });
  }
});

describe("addresses of machines", () => {
  const cidr = "192.168.150.0/24";
  const cases: readonly { wanted: readonly (string | undefined)[]; given: readonly string[] }[] = [
    { wanted: [], given: [] },
    { wanted: [undefined, undefined], given: ["192.168.150.10", "192.168.150.11"] },
    {
      wanted: [undefined, "192.168.150.10", undefined],
      given: ["192.168.150.11", "192.168.150.10", "192.168.150.12"],
    },
    { wanted: ["192.168.150.2", undefined], given: ["192.168.150.2", "192.168.150.10"] },
  ];
  for (const { wanted, given } of cases) {
    it(`${wanted.map((one) => one ?? "any").join(", ") || "none"} -> ${given.join(", ") || "none"}`, () => {
      assert.deepEqual(assignAddresses(cidr, wanted), given);
    });
  }

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
