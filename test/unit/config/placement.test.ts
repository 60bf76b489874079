import assert from "node:assert/strict";
import { placements } from "../../../config/placement.ts";
import type { Placed } from "../../../config/placement.ts";
import { eachCase } from "../each-case.ts";

type Memory = Readonly<Record<string, number>>;

/** Hypervisors by their memory in MiB; nodes as `name`, `name@hypervisor` or `name:MiB`; where each of them is placed. */
const cases: Readonly<Record<string, readonly [Memory, nodes: string, placed: string]>> = {
  "all on this host, where there is no other": [{}, "a b", "local local"],
  "where they are written": [{ local: 8192, x: 65_536 }, "a@local b@x", "local x"],
  "where most is left": [{ local: 8192, x: 16_384 }, "a b c d", "x x local x"],
  "the first of equals": [{ local: 16_384, x: 16_384 }, "a b c", "local x local"],
  "by their own sizes": [{ local: 16_384, x: 16_000 }, "big:12000 b c", "local x x"],
  "around those that are written, in their order": [
    { local: 16_384, x: 16_384 },
    "a@local b c@x d",
    "local x x local",
  ],
  "Linux machines like any, with memory of their own size": [
    { local: 8192, x: 9000 },
    "linux1 a linux2 b",
    "x local x x",
  ],
  "Linux machines not on Hyper-V, however much is left there": [
    { local: 8192, x: 9000, hyperv: 65_536 },
    "linux1 a linux2",
    "x hyperv local",
  ],
};

function placedBy(nodes: string, memory: Memory): Placed {
  const { local, ...others } = memory;
  const all = Object.entries(others).map(([name, machineMemoryMiB]) => ({
    name,
    machineMemoryMiB,
  }));
  return {
    hypervisor: { machineMemoryMiB: local },
    hypervisors: all.filter(({ name }) => name !== "hyperv"),
    hyperVHosts: all.filter(({ name }) => name === "hyperv"),
    nodes: nodes.split(" ").map((text) => {
      const [, name = "", memoryMiB, hypervisor] = /^(\w+)(?::(\d+))?(?:@(\w+))?$/.exec(text) ?? [];
      const size = memoryMiB === undefined ? undefined : +memoryMiB;
      const os = name.startsWith("linux") ? "linux" : "windows";
      return { name, os, hypervisor, memoryMiB: size };
    }),
    windows: { memoryMiB: 4096 },
    linux: { memoryMiB: 2048 },
  };
}

const where = (nodes: string, memory: Memory): string =>
  placements(placedBy(nodes, memory))
    .map(({ hypervisor }) => hypervisor)
    .join(" ");

describe("placement of nodes", () => {
  eachCase("%s", cases, ([memory, nodes, placed]) => assert.equal(where(nodes, memory), placed));

  it("moves nobody when one is appended, wherever it is placed", () => {
    for (const [memory, nodes, placed] of Object.values(cases)) {
      for (const appended of ["z", "z:20000", "z@local"]) {
        assert.ok(where(`${nodes} ${appended}`, memory).startsWith(`${placed} `), nodes);
      }
    }
  });

  it("tells why", () => {
    const reasons = placements(placedBy("a b@x", { local: 8192, x: 16_384 }));
    assert.deepEqual(
      reasons.map(({ reason }) => reason),
      [
        "most memory is left there (MiB: local 8192, x 16384)",
        "kindows:nodes[1].hypervisor says so",
      ],
    );
    assert.equal(
      placements(placedBy("a", {}))[0]?.reason,
      "it is the only hypervisor it can run on",
    );
  });

  it("counts QEMU's own memory", () =>
    assert.equal(placements(placedBy("a:1000", {}))[0]?.memoryMiB, 1256));
});
