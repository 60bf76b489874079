import assert from "node:assert/strict";
import { placements } from "../../../config/placement.ts";
import type { Placed } from "../../../config/placement.ts";

/** Nodes as `name`, `name@hypervisor` or `name:MiB`; hypervisors by their memory in MiB. */
interface PlacementCase {
  readonly name: string;
  readonly memory: Readonly<Record<string, number>>;
  readonly nodes: readonly string[];
  readonly placed: readonly string[];
}

const cases: readonly PlacementCase[] = [
  {
    name: "all on this host, where there is no other",
    memory: {},
    nodes: ["a", "b"],
    placed: ["local", "local"],
  },
  {
    name: "where they are written",
    memory: { local: 8192, x: 65_536 },
    nodes: ["a@local", "b@x"],
    placed: ["local", "x"],
  },
  {
    name: "where most is left",
    memory: { local: 8192, x: 16_384 },
    nodes: ["a", "b", "c", "d"],
    placed: ["x", "x", "local", "x"],
  },
  {
    name: "the first of equals",
    memory: { local: 16_384, x: 16_384 },
    nodes: ["a", "b", "c"],
    placed: ["local", "x", "local"],
  },
  {
    name: "by their own sizes",
    memory: { local: 16_384, x: 16_000 },
    nodes: ["big:12000", "b", "c"],
    placed: ["local", "x", "x"],
  },
  {
    name: "around those that are written, in their order",
    memory: { local: 16_384, x: 16_384 },
    nodes: ["a@local", "b", "c@x", "d"],
    placed: ["local", "x", "x", "local"],
  },
  {
    name: "Linux machines like any, with memory of their own size",
    memory: { local: 8192, x: 9000 },
    nodes: ["linux1", "a", "linux2", "b"],
    placed: ["x", "local", "x", "x"],
  },
  {
    name: "Linux machines not on Hyper-V, however much is left there",
    memory: { local: 8192, x: 9000, hyperv: 65_536 },
    nodes: ["linux1", "a", "linux2"],
    placed: ["x", "hyperv", "local"],
  },
];

function placedBy(nodes: readonly string[], memory: PlacementCase["memory"]): Placed {
  const { local, ...others } = memory;
  const all = Object.entries(others).map(([name, machineMemoryMiB]) => ({
    name,
    machineMemoryMiB,
  }));
  return {
    hypervisor: { machineMemoryMiB: local },
    hypervisors: all.filter(({ name }) => name !== "hyperv"),
    hyperVHosts: all.filter(({ name }) => name === "hyperv"),
    nodes: nodes.map((text) => {
      const [, name = "", memoryMiB, hypervisor] = /^(\w+)(?::(\d+))?(?:@(\w+))?$/.exec(text) ?? [];
      const size = memoryMiB === undefined ? undefined : +memoryMiB;
      const os = name.startsWith("linux") ? "linux" : "windows";
      return { name, os, hypervisor, memoryMiB: size };
    }),
    windows: { memoryMiB: 4096 },
    linux: { memoryMiB: 2048 },
  };
}

const where = (nodes: readonly string[], memory: PlacementCase["memory"]): string[] =>
  placements(placedBy(nodes, memory)).map(({ hypervisor }) => hypervisor);

describe("placement of nodes", () => {
  for (const { name, memory, nodes, placed } of cases) {
    it(name, () => {
      assert.deepEqual(where(nodes, memory), placed);
    });
  }

  it("moves nobody when one is appended, wherever it is placed", () => {
    for (const { memory, nodes, placed } of cases) {
      for (const appended of ["z", "z:20000", "z@local"]) {
        assert.deepEqual(where([...nodes, appended], memory).slice(0, -1), placed);
      }
    }
  });

  it("tells why", () => {
    const reasons = placements(placedBy(["a", "b@x"], { local: 8192, x: 16_384 }));
    assert.deepEqual(
      reasons.map(({ reason }) => reason),
      [
        "most memory is left there (MiB: local 8192, x 16384)",
        "kindows:nodes[1].hypervisor says so",
      ],
    );
    assert.equal(
      placements(placedBy(["a"], {}))[0]?.reason,
      "it is the only hypervisor it can run on",
    );
  });

  it("counts QEMU's own memory", () => {
    assert.equal(placements(placedBy(["a:1000"], {}))[0]?.memoryMiB, 1256);
  });
});
