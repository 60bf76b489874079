import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { rehearsedWindows } from "../../rehearsal/machine/windows-version.ts";
import { containerdVersion } from "../../toolchain/tools/table.ts";
import { testPrograms } from "./test-programs.ts";
import { WineMachine } from "./wine-machine.ts";

const program = "C:\\hcn.test.exe";

/** Tests of what HNS of Server 2022 does not have, with the version that brought it (hcn/hcnglobals.go). */
const later = {
  TestApplyTierAclPolicyOnEndpoint: "TierAcl: 14.0",
  TestAddRemoveNetworACLPolicy: "NetworkACL: 15.0",
  TestCreateUpdateDeleteLoadBalancer: "ModifyLoadbalancer: 15.4",
  TestAccelnetNnvManagementMacAddresses: "Accelnet: 15.4",
};

for (const [name, build, failing] of [
  ["Server 2022", 20348, Object.keys(later)],
  ["Server 2025", 26100, []],
] as const) {
  describe(`computenetwork.dll and vmcompute.dll of ${name}`, () => {
    let machine: WineMachine;

    before(async () => {
      machine = await WineMachine.start(containerdVersion, { ...rehearsedWindows, build });
      const target = await machine.windows.drive.resolve(program);
      await copyFile(join(testPrograms().hcnTests, "hcn.test.exe"), target);
    });
    after(() => machine.stop());

    it("pass hcsshim's own tests of HNS, except those of features that it does not have", async () => {
      const { stdout, stderr } = await machine.run(program, ["-test.v"]);
      const ended = [...stdout.matchAll(/^--- (PASS|FAIL|SKIP): (\w+)/gm)];
      const failed = ended.filter(([, result]) => result !== "PASS").map(([, , test = ""]) => test);
      assert.deepEqual(failed.sort(), [...failing].sort(), stdout + stderr);
      assert.ok(ended.length >= 78, `only ${ended.length} tests have run: ${stderr}`);
    });
  });
}
