import assert from "node:assert/strict";

import { type HostFacts, hostAnswer, neededGiB, termsAnswer } from "../../hosted/guards.ts";
import { fatalKvmErrors } from "../../hosted/kvm-failure.ts";

describe("Microsoft's evaluation terms", () => {
  for (const [value, run, said] of [
    ["accepted", true, /are accepted/],
    [undefined, false, /KINDOWS_EVALUATION_TERMS is not set\..*set it to `accepted`/s],
    ["", false, /is not set/],
    ["true", false, /KINDOWS_EVALUATION_TERMS is "true"/],
    ["Accepted", false, /is "Accepted"/],
  ] as const) {
    it(`are ${run ? "" : "not "}accepted by ${JSON.stringify(value)}`, () => {
      const answer = termsAnswer(value);
      assert.equal(answer.run, run);
      assert.match(answer.lines.join("\n"), said);
    });
  }
});

const place = (folder: string, device: string, freeGiB: number) => ({ folder, device, freeGiB });
const both = neededGiB.cache + neededGiB.pool;

const good: HostFacts = {
  kvm: undefined,
  totalMemoryMiB: 15_990,
  cachePlaces: [place("/var/tmp/c", "root", both), place("/mnt/c", "mnt", 0)],
  pool: place("/var/lib/libvirt/images", "root", both),
  appArmor: true,
};

describe("a machine for a real Windows", () => {
  const onTwoDisks = (root: number, mnt: number): Partial<HostFacts> => ({
    cachePlaces: [place("/var/tmp/c", "root", root), place("/mnt/c", "mnt", mnt)],
    pool: place("/var/lib/libvirt/images", "root", root),
  });
  const cases: Readonly<Record<string, [Partial<HostFacts>, string | RegExp]>> = {
    "all on one disk": [{}, "/var/tmp/c"],
    "the cache on the second disk": [onTwoDisks(both - 1, neededGiB.cache), "/mnt/c"],
    "both too small": [
      onTwoDisks(both - 1, neededGiB.cache - 1),
      /too little space.*60 GiB for \/var\/tmp\/c, 33 GiB for \/mnt\/c/,
    ],
    "no space for the machines": [onTwoDisks(neededGiB.pool - 1, 500), /too little space/],
    "no KVM": [{ kvm: "absent" }, /no \/dev\/kvm: GitHub's Linux runners have it, if/],
    "KVM closed": [{ kvm: "denied" }, /run this as root/],
    "KVM broken": [{ kvm: { error: "no" } }, /KVM can't be used: .*"no"/],
    "little memory": [{ totalMemoryMiB: 7_900 }, /7900 MiB of memory are too little/],
    "AppArmor off": [{ appArmor: false }, /AppArmor is off.*turn it on/],
  };
  for (const [what, [facts, wanted]] of Object.entries(cases)) {
    it(what, () => {
      const { run, cache, lines } = hostAnswer({ ...good, ...facts });
      if (typeof wanted === "string") {
        assert.deepEqual([run, cache], [true, wanted]);
      } else {
        assert.deepEqual([run, cache], [false, undefined]);
        assert.match(lines.join("\n"), wanted);
      }
    });
  }

  it("is told everything that is wrong at once", () => {
    const { lines } = hostAnswer({ ...good, kvm: "absent", totalMemoryMiB: 1, appArmor: false });
    assert.equal(lines.length, 3);
  });
});

describe("a fatal error of KVM", () => {
  for (const [log, count] of [
    ["KVM internal error. Suberror: 1\nextra data[0]: 0x1\n", 1],
    ["a\nKVM: entry failed, hardware error 0x80000021\n", 1],
    ["KVM: unknown exit, hardware reason 31\n", 1],
    ["error: kvm run failed Bad address\nKVM internal error. Suberror: 3\n", 2],
    ["qemu-system-x86_64: terminating on signal 15 from pid 1\n", 0],
    ["COM1: kindows: KVM internal error. Suberror: 1\n", 0],
    ["", 0],
  ] as const) {
    it(`is found ${count} times in ${JSON.stringify(log)}`, () => {
      assert.equal(fatalKvmErrors(log).length, count);
    });
  }
});
