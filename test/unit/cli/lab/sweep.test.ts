import assert from "node:assert/strict";
import { sweepLeftovers } from "../../../../cli/lab/sweep.ts";
import type { Finder, LabThing } from "../../../../cli/lab/lab-thing.ts";
import { recordedHost } from "./recorded-host.ts";

/** A finder of things in memory; removing one can fail, or take another kind's with it. */
function fakeFinder(
  kind: string,
  world: LabThing[],
  remove: (thing: LabThing) => void = (thing) => {
    world.splice(world.indexOf(thing), 1);
  },
): Finder {
  return {
    kind,
    find: () => Promise.resolve(world.filter((thing) => thing.kind === kind)),
    remove: (thing) => Promise.resolve().then(() => remove(thing)),
  };
}

const thing = (kind: string, lab: string, identity: string | undefined): LabThing => ({
  kind,
  name: `${lab} ${identity ?? "-"}`,
  lab,
  identity,
});

const host = recordedHost({});
const scope = { lab: "kindows-a", owned: new Set(["vm 1"]) };

describe("sweeping a lab's leftovers", () => {
  it("touches nothing the state owns and nothing of other labs", async () => {
    const kept = [thing("vm", "kindows-a", "vm 1"), thing("vm", "kindows-b", "vm 3")];
    const world = [...kept, thing("vm", "kindows-a", "vm 2"), thing("vm", "kindows-a", undefined)];
    const said: string[] = [];
    const removed = await sweepLeftovers(scope, host, (line) => said.push(line), [
      fakeFinder("vm", world),
    ]);
    assert.deepEqual(world, kept);
    assert.equal(removed, 2);
    assert.deepEqual(said, ["removed vm kindows-a vm 2", "removed vm kindows-a -"]);
  });

  it("looks for each kind anew: what went with another thing is not removed twice", async () => {
    const world = [thing("network", "kindows-a", "n"), thing("bridge", "kindows-a", "b")];
    const removed = await sweepLeftovers(scope, host, () => undefined, [
      fakeFinder("network", world, () => world.splice(0)),
      fakeFinder("bridge", world),
    ]);
    assert.equal(removed, 1);
  });

  it("goes on after a failure, and tells every one at the end", async () => {
    const world = [thing("vm", "kindows-a", "vm 2"), thing("disk", "kindows-a", "d")];
    const stuck = fakeFinder("vm", world, () => {
      throw new Error("it hangs");
    });
    const blind: Finder = {
      ...fakeFinder("pool", world),
      find: () => Promise.reject(new Error("libvirt does not answer")),
    };
    await assert.rejects(
      sweepLeftovers(scope, host, () => undefined, [stuck, blind, fakeFinder("disk", world)]),
      {
        name: "Failure",
        message:
          "leftovers of the lab kindows-a remain:\n" +
          "  - cannot remove vm kindows-a vm 2: it hangs\n" +
          "  - cannot look for pools: libvirt does not answer",
      },
    );
    const kinds = world.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["vm"]);
  });
});
