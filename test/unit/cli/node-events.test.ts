import assert from "node:assert/strict";

import { mock } from "node:test";
import { EventReader, readEvent, type NodeEvent } from "../../../cli/engine/events.ts";
import { failedNodes, unusablePrograms } from "../../../cli/commands/up.ts";
import { NodeStages, stages } from "../../../cli/stages/node-stages.ts";
import { limitMinutes, OverdueOperations } from "../../../cli/engine/overdue.ts";
import { eachCase } from "../each-case.ts";
import { stepInputs, urn } from "./state-builder.ts";

/** An event as the engine sends it. */
const step = (
  kind: "resourcePreEvent" | "resOutputsEvent" | "resOpFailedEvent",
  op: string,
  type: string,
  name: string,
  parent = "",
  inputs: object = {},
): object => ({
  [kind]: {
    metadata: {
      op,
      urn: urn(type, name),
      type,
      new: { type, custom: !type.startsWith("kindows:"), parent, inputs },
    },
  },
});
const nodeType = "kindows:windows:WindowsNode";
const machineType = "kindows:machine:LibvirtMachine";
/** A part of the machine, or a step on it. The names of resources say nothing. */
const part =
  (kind: "resourcePreEvent" | "resOutputsEvent") =>
  (node: string, name: string, op = "create"): object =>
    name === "machine"
      ? step(kind, op, "x:y:Z", `${node}-x`, urn(machineType, node))
      : step(kind, op, "x:y:Z", `${node}-x`, urn(nodeType, node), stepInputs(name));
const [begins, ends] = [part("resourcePreEvent"), part("resOutputsEvent")];
const known = (node: string, type = nodeType): object =>
  step("resourcePreEvent", "same", type, node, "", { facts: { node } });
const fails = (resource: string, message: string, severity = "error"): object => ({
  diagnosticEvent: { urn: urn("x:y:Z", resource), prefix: `${severity}: `, message, severity },
});

/** What the engine's events say of nodes. */
function eventsOf(events: readonly object[]): NodeEvent[] {
  const reader = new EventReader();
  return events.flatMap((event) => reader.read(readEvent(JSON.stringify(event))) ?? []);
}

/** Seconds of the run, and what the engine does then. */
const run: readonly (readonly [number, object])[] = [
  [0, { preludeEvent: { config: {} } }],
  ...["win-1", "win-1-a"].map((node) => [0, known(node)] as const),
  [0, known("win-1", machineType)],
  [0, begins("win-1", "mint-token")],
  [1, begins("win-1", "machine")],
  [2, ends("win-1", "machine")],
  [2, begins("win-1", "machine")],
  [3, begins("win-1", "copy-scripts")],
  [4, begins("win-1-a", "copy-scripts")],
  [20, begins("win-1", "unpack-scripts")],
  [25, begins("win-1", "Test-WindowsHost")],
  [30, begins("win-1", "push")],
  [30, begins("win-1", "Install-Containerd")],
  [31, begins("win-1", "push")],
  [40, begins("win-1", "Join-Node")],
  [70, begins("win-1", "await-ready")],
  [75, ends("win-1", "await-ready")],
];

const windows = (name: string) => ({ name, os: "windows" as const });

describe("stages of nodes", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setInterval", "Date"] }));
  afterEach(() => mock.timers.reset());

  /** What is said of events by their seconds, without the brackets. */
  function reported(
    events: typeof run,
    awaitsReady = true,
    leaving?: ConstructorParameters<typeof EventReader>[0],
  ): string[] {
    const reader = new EventReader(leaving);
    const lines: string[] = [];
    const nodes = leaving ? [] : [windows("win-1"), windows("win-1-a")];
    const stages = new NodeStages(nodes, (line) => lines.push(line.slice(1, -1)), {
      awaitsReady,
      isLeaving: leaving !== undefined,
    });
    for (const [second, event] of events) {
      mock.timers.setTime(second * 1000);
      const read = reader.read(readEvent(JSON.stringify(event)));
      if (read) stages.read(read);
    }
    stages.stop();
    return lines;
  }

  it("are reported once each, with the time so far, and accounted for when the node is Ready", () =>
    assert.deepEqual(reported(run), [
      "win-1 gets its machine",
      "win-1 boots (2 s so far)",
      "win-1-a boots",
      "win-1 is checked (24 s so far)",
      "win-1 gets its programs (29 s so far)",
      "win-1 gets containerd (29 s so far)",
      "win-1 joins the cluster (39 s so far)",
      "win-1 becomes Ready (1 min 09 s so far)",
      "win-1 is Ready after 1 min 14 s: machine 2 s, boot 22 s, host check 5 s, programs 0 s, " +
        "containerd 10 s, join 30 s, Ready 5 s",
    ]));

  it("end with the join where nothing waits for nodes to be Ready", () => {
    const events: typeof run = [
      [0, known("win-1")],
      [0, begins("win-1", "Join-Node", "create")],
      [9, ends("win-1", "Join-Node", "create")],
      [9, begins("win-1", "register", "create")],
      [10, ends("win-1", "register", "create")],
      [11, begins("win-1", "Invoke-ScriptAfterJoin", "create")],
    ];
    assert.deepEqual(reported(events, false), [
      "win-1 joins the cluster",
      "win-1 becomes Ready (9 s so far)",
      "win-1 has joined, and waits for your pod network, after 10 s: join 9 s, Ready 1 s",
    ]);
  });

  it("are those of an upgrade, too: only what is done is reported", () => {
    const events: typeof run = [
      [0, known("win-1")],
      [0, begins("win-1", "Install-Kubernetes", "update")],
      [9, ends("win-1", "Install-Kubernetes", "update")],
      [9, begins("win-1", "await-ready", "update")],
      [12, ends("win-1", "await-ready", "update")],
    ];
    assert.deepEqual(reported(events), [
      "win-1 gets kubelet",
      "win-1 becomes Ready (9 s so far)",
      "win-1 is Ready after 12 s: kubelet 9 s, Ready 3 s",
    ]);
  });

  it("are two of a node that goes with its stack, which ends with its machine", () => {
    const inputs = { facts: { node: "win-1" } };
    const urns = [urn(nodeType, "win-1"), urn(machineType, "win-1")] as const;
    const leaving = [
      { urn: urns[0], type: nodeType, inputs },
      { urn: urns[1], type: machineType, inputs },
      { urn: urn("x:y:Z", "step"), type: "x:y:Z", parent: urns[0] },
      { urn: urn("x:y:Z", "disk"), type: "x:y:Z", parent: urns[1] },
      { urn: urn("x:y:Z", "network"), type: "x:y:Z" },
    ];
    const deletes = (kind: "resourcePreEvent" | "resOutputsEvent", type: string, name: string) => ({
      [kind]: { metadata: { op: "delete", urn: urn(type, name), type } },
    });
    const events: typeof run = [
      [0, deletes("resourcePreEvent", "x:y:Z", "step")],
      [3, deletes("resOutputsEvent", "x:y:Z", "step")],
      [3, deletes("resourcePreEvent", nodeType, "win-1")],
      [4, deletes("resourcePreEvent", "x:y:Z", "disk")],
      [5, deletes("resOutputsEvent", "x:y:Z", "disk")],
      [6, deletes("resourcePreEvent", machineType, "win-1")],
      [6, deletes("resOutputsEvent", machineType, "win-1")],
      [7, deletes("resourcePreEvent", "x:y:Z", "network")],
    ];
    assert.deepEqual(reported(events, true, leaving), [
      "win-1 leaves the cluster",
      "win-1 loses its machine (4 s so far)",
      "win-1 is gone after 6 s: leaving 4 s, machine 2 s",
    ]);
  });

  it("are none of resources that go or stay, and of the lab's own", () => {
    const events = [
      known("win-1"),
      begins("win-1", "Join-Node", "delete"),
      begins("win-1", "Join-Node", "same"),
      step("resourcePreEvent", "create", "docker:index/network:Network", "win-1-network"),
      { summaryEvent: { durationSeconds: 1 } },
    ];
    assert.deepEqual(reported(events.map((event) => [0, event])), []);
  });

  it("are repeated where nothing is new for half a minute", () => {
    const lines: string[] = [];
    const nodes = [windows("win-1"), windows("win-2")];
    const stages = new NodeStages(nodes, (line) => lines.push(line));
    stages.read({ kind: "begun", node: "win-1", step: "copy-scripts" });
    stages.read({ kind: "begun", node: "win-2", step: "Join-Node" });
    mock.timers.tick(30_000);
    stages.stop();
    assert.equal(lines.at(-1), "[win-1 boots (30 s), win-2 joins the cluster (30 s)]");
  });

  it("come in the order of the steps, whatever runs on the machine", () => {
    const reported = ["machine", "boot", "host check", "programs", "unpacking", "join", "Ready"];
    const nouns = (os: "windows" | "linux") =>
      stages[os].map(({ noun }) => noun).filter((noun) => reported.includes(noun));
    assert.deepEqual(nouns("linux"), reported);
    assert.deepEqual(
      nouns("windows"),
      reported.filter((noun) => noun !== "unpacking"),
    );
  });
});

describe("nodes that failed", () => {
  const nodes = ["win-1", "win-1-a", "win-2", "win-3"];
  const all = nodes.flatMap((node) => [known(node), begins(node, "Join-Node")]);
  /** What the engine says of a step that has failed. */
  const failure = (code: string): string =>
    [
      'Process exited with status 30: running "powershell.exe ..."',
      `Install-Kubernetes on WIN-1 failed (${code}): no kubelet.exe.`,
      JSON.stringify({ step: "Install-Kubernetes", error: { code, message: "", remedy: "" } }),
    ].join("\r\n");

  const ofEngine = { diagnosticEvent: { severity: "error", message: "update failed" } };
  type Names = readonly string[];
  const cases: Readonly<Record<string, readonly [readonly object[], Names, lacking: Names]>> = {
    "are those whose resources have errors": [
      [
        fails("win-1-a-x", 'Process exited with status 51: running "powershell.exe ..."'),
        fails("win-2-x", "the evaluation licence ends in 3 days", "warning"),
        fails("win-3-x", "the node win-3 was not Ready"),
      ],
      ["win-1-a", "win-3"],
      [],
    ],
    "are none where the lab itself failed": [[fails("lab", "no Docker"), ofEngine], [], []],
    "lack a file where a step says so, and nothing else": [
      ["MediumMissing", "ChecksumMismatch", "FileInUse"].map((code, at) =>
        fails(`win-${at + 1}-x`, failure(code)),
      ),
      ["win-1", "win-2", "win-3"],
      ["win-1", "win-2"],
    ],
  };
  eachCase("%s", cases, ([events, names, lacking]) => {
    const seen = eventsOf([...all, ...events]);
    assert.deepEqual([failedNodes(seen), failedNodes(seen, unusablePrograms)], [names, lacking]);
  });
});

describe("operations of providers without a time limit", () => {
  const disk = "libvirt:index/cloudinitDisk:CloudinitDisk";
  const volume = "libvirt:index/volume:Volume";
  const begun = (type: string, name: string, op = "create"): object =>
    step("resourcePreEvent", op, type, name);
  /** Minutes of events, and the minute in which operations are reported as overdue, with which. */
  const cases: Readonly<
    Record<string, readonly [events: readonly (readonly [number, object])[], reports?: RegExp]>
  > = {
    "that do not end": [
      [[0, begun(disk, "a")]],
      /^15: create CloudinitDisk a did not end within 15 min/,
    ],
    "that end": [
      [
        [0, begun(disk, "a")],
        [14, step("resOutputsEvent", "create", disk, "a")],
      ],
    ],
    "that fail": [
      [
        [0, begun(disk, "a")],
        [14, step("resOpFailedEvent", "create", disk, "a")],
      ],
    ],
    // What a refresh finds counts as another operation.
    "that are refreshed": [
      [
        [0, begun(disk, "a", "refresh")],
        [1, step("resOutputsEvent", "update", disk, "a")],
      ],
    ],
    "that wait for a longer one": [
      [
        [0, begun(volume, "base")],
        [1, begun(disk, "a")],
      ],
      /^121: create Volume base, create CloudinitDisk a did not end within 120 min/,
    ],
    "that waited for a longer one": [
      [
        ...([
          [0, begun(volume, "base")],
          [1, begun(disk, "a", "delete")],
        ] as const),
        [30, step("resOutputsEvent", "create", volume, "base")],
      ],
      /^45: delete CloudinitDisk a did not end within 15 min/,
    ],
    "that the engine does alone": [[[0, begun(disk, "a", "same")]]],
    "with a limit of their own": [[[0, begun("command:remote:Command", "a")]]],
  };
  eachCase("%s", cases, ([events, reports]) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      let minute = 0;
      const reported: string[] = [];
      const overdue = new OverdueOperations((problem) => {
        reported.push(`${minute}: ${problem}`);
      }, limitMinutes);
      for (; minute < 200; minute += 1) {
        mock.timers.tick(minute === 0 ? 0 : 60_000);
        for (const [at, event] of events) {
          if (at === minute) overdue.read(readEvent(JSON.stringify(event)));
        }
      }
      overdue.stop();
      assert.match(reported.join("\n"), reports ?? /^$/);
    } finally {
      mock.timers.reset();
    }
  });
});
