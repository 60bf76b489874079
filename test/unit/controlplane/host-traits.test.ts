import assert from "node:assert/strict";

import { hostTraits } from "../../../components/controlplane/host-traits.ts";

const status = (bounding: string): string => `Name:\tnode\nCapBnd:\t${bounding}\nCapAmb:\t0\n`;
const all = "000001ffffffffff";
const withoutSysResource = "000001fffeffffff";

describe("what a host allows", () => {
  const cases: readonly [docker: string, bounding: string, 1 | 2, boolean][] = [
    ["1", all, 1, true],
    ["2", all, 2, true],
    ["2", withoutSysResource, 2, false],
    ["1", withoutSysResource, 1, false],
    ["2", "0000000001000000", 2, true],
    ["2", "0000000000000000", 2, false],
  ];
  for (const [docker, bounding, cgroupVersion, mayLowerOomScore] of cases) {
    it(`cgroup ${docker}, capabilities ${bounding}`, () => {
      const info = JSON.stringify({ CgroupVersion: docker });
      assert.deepEqual(hostTraits(info, status(bounding)), { cgroupVersion, mayLowerOomScore });
    });
  }

  it("refuses a Docker that does not say", () => {
    assert.throws(() => hostTraits("{}", status(all)), /does not say its cgroup version/);
  });

  it("refuses a status without capabilities", () => {
    assert.throws(() => hostTraits('{"CgroupVersion":"2"}', "Name:\tnode\n"), /no CapBnd line/);
  });
});
