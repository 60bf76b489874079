import assert from "node:assert/strict";
import { plannedIn } from "../unit/stacks/planned.ts";
import { rehearsalChanges } from "../unit/stacks/rehearsal-changes.ts";
import { TestLab, tail } from "../e2e/lab.ts";
import type { Finished } from "../e2e/lab.ts";
import { plannedOperations } from "./planned-operations.ts";

const base = {
  network: { cidr: "192.168.156.0/24" },
  nodes: [{ name: "win-1" }],
};

/** What is told of a preview without a state holds with that of a lab that is up: nothing else follows. */
describe("what a change of settings plans on a lab that is up", function () {
  this.timeout(15 * 60_000);

  const lab = new TestLab("e2echanges");

  before(async () => {
    await lab.configure(base);
    await lab.kindows("down");
    succeeded(await lab.kindows("up"));
  });
  after(async () => {
    await lab.kindows("down");
    await lab.forget();
  });

  function succeeded({ exitCode, output }: Finished): void {
    assert.equal(exitCode, 0, tail(output));
  }

  for (const { name, settings = {}, host, plans, alsoWhenUp = [] } of rehearsalChanges) {
    // Scripts and images of this clone are not changed under a lab.
    if (host !== undefined) continue;
    for (const [where, variable] of [
      ["here", ""],
      ["where there is no libvirt", "KINDOWS_PREVIEW=anywhere "],
    ] as const) {
      it(`${name}, seen ${where}`, async () => {
        await lab.configure({ ...base, ...settings });
        const run = await lab.withEnvironment(`${variable}pulumi preview --json 2>/dev/null`);
        succeeded(run);
        const planned = plannedOperations(run.output.slice(run.output.indexOf("{")));
        // The provider itself gets another address then.
        const changed = planned.changed.filter((each) => each !== "libvirt hypervisor");
        const expected = { ...plans, changed: [...(plans.changed ?? []), ...alsoWhenUp] };
        assert.deepEqual({ ...planned, changed }, plannedIn(expected));
      });
    }
  }
});
