import assert from "node:assert/strict";
import { plannedIn } from "../engine/preview-diff/planned.ts";
import { rehearsalChanges } from "../engine/preview-diff/rehearsal-changes.ts";
import { succeeded, TestLab } from "../e2e/lab.ts";
import { plannedOperations } from "./planned-operations.ts";

const base = {
  network: { cidr: "192.168.156.0/24" },
  nodes: [{ name: "win-1" }],
};

/** What is told of a preview without a state holds with that of a lab that is up: nothing else follows. */
describe("what a change of settings plans on a lab that is up", () => {
  const lab = new TestLab("e2echanges");

  before(async () => {
    await lab.configure(base);
    await lab.kindows("down");
    await succeeded(lab.kindows("up"), "up");
  });
  after(() => lab.remove());

  for (const { name, settings = {}, host, plans, alsoWhenUp = [] } of rehearsalChanges) {
    // Scripts and images of this clone are not changed under a lab.
    if (host !== undefined) continue;
    for (const [where, variable] of [
      ["here", ""],
      ["where there is no libvirt", "KINDOWS_PREVIEW=anywhere "],
    ] as const) {
      it(`${name}, seen ${where}`, async () => {
        await lab.configure({ ...base, ...settings });
        const preview = lab.withEnvironment(`${variable}pulumi preview --json 2>/dev/null`);
        const { output } = await succeeded(preview);
        const planned = plannedOperations(output.slice(output.indexOf("{")));
        // The provider itself gets another address then.
        const changed = planned.changed.filter((each) => each !== "libvirt hypervisor");
        const expected = { ...plans, changed: [...(plans.changed ?? []), ...alsoWhenUp] };
        assert.deepEqual({ ...planned, changed }, plannedIn(expected));
      });
    }
  }
});
