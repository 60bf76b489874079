import assert from "node:assert/strict";
import * as z from "zod";
import { named, plannedIn, type Planned } from "../unit/stacks/planned.ts";
import { rehearsalChanges } from "../unit/stacks/rehearsal-changes.ts";
import { succeeded, TestLab } from "../e2e/lab.ts";

const base = {
  network: { cidr: "192.168.156.0/24" },
  nodes: [{ name: "win-1" }],
};

const state = z.object({ type: z.string(), custom: z.boolean() });
const previewSchema = z.object({
  steps: z.array(
    z.object({
      op: z.string(),
      urn: z.string(),
      newState: state.optional(),
      oldState: state.optional(),
    }),
  ),
});

/** What a preview with a state plans, as in the tables of test/unit/stacks; components do nothing of their own. */
function plannedOperations(preview: string): Required<Planned> {
  const { steps } = previewSchema.parse(JSON.parse(preview));
  const of = (...operations: readonly string[]): readonly string[] => {
    const names = steps.flatMap(({ op, urn, newState, oldState }) => {
      const resource = newState ?? oldState;
      return operations.includes(op) && resource?.custom === true
        ? [named({ type: resource.type, name: urn.slice(urn.lastIndexOf("::") + 2) })]
        : [];
    });
    return [...new Set(names)].sort();
  };
  return {
    created: of("create"),
    replaced: of("replace", "create-replacement"),
    changed: of("update"),
    deleted: of("delete"),
  };
}

/** What is reported for a preview without a state holds with that of a lab that is up: nothing else follows. */
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
