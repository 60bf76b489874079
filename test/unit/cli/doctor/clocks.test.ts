import assert from "node:assert/strict";
import { judgeClocks, secondsOff } from "../../../../cli/doctor/clocks.ts";

const at = (seconds: number): Date => new Date(Date.UTC(2027, 0, 1) + seconds * 1000);
/** Asked at 0, answered after 4 s. */
const reading = (seconds: number): { node: string; time: Date; asked: Date; answered: Date } => ({
  node: "win-1",
  time: at(seconds),
  asked: at(0),
  answered: at(4),
});

describe("the clock of a machine", () => {
  const cases: readonly (readonly [number, number, string | undefined])[] = [
    [0, 0, undefined],
    [2, 0, undefined],
    [4, 0, undefined],
    [34, 30, undefined],
    [-30, -30, undefined],
    [35, 31, "31 s ahead of"],
    [-31, -31, "31 s behind"],
    [-600, -600, "10 min behind"],
    [7 * 3600 + 4, 7 * 3600, "7.0 h ahead of"],
    [-86400, -86400, "24.0 h behind"],
  ];
  for (const [time, off, told] of cases) {
    it(`that says ${time} s, asked at 0 and answering at 4, is ${off} s off`, () => {
      assert.equal(secondsOff(reading(time)), off);
      const found = judgeClocks([reading(time)], () => true);
      assert.equal(
        found[0]?.seen,
        told && `it is ${told} this host's, which the control plane has too`,
      );
      assert.deepEqual(found[0]?.repair, told && { kind: "run-join", node: "win-1" });
    });
  }

  it("is told and left where the machine cannot be told to join again", () => {
    const [found] = judgeClocks([reading(999)], () => false);
    assert.equal(found?.name, "clock of win-1");
    assert.equal(found.repair, undefined);
  });

  it("of a machine that does not answer hides no other", () => {
    const found = judgeClocks(
      [{ node: "win-2", trouble: "connect ECONNREFUSED" }, reading(999)],
      () => true,
    );
    assert.deepEqual(
      found.map(({ name }) => name),
      ["machine win-2", "clock of win-1"],
    );
    assert.match(found[0]?.seen ?? "", /ECONNREFUSED/);
    assert.equal(found[0]?.repair, undefined);
  });
});
