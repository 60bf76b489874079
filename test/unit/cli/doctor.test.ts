import assert from "node:assert/strict";
import { plannedRepairs, stillSettling } from "../../../cli/doctor/fix.ts";
import type { Diagnosis } from "../../../cli/doctor/examine.ts";
import type { Finding } from "../../../cli/doctor/finding.ts";
import { sortLeftovers } from "../../../cli/doctor/left-over.ts";
import { doctorText, isFine } from "../../../cli/doctor/report.ts";
import type { LabThing } from "../../../cli/lab/lab-thing.ts";

const thing = (lab: string, name: string): LabThing => ({
  kind: "libvirt domain",
  name,
  lab,
  identity: `libvirt domain ${name}`,
});

const known = {
  own: "kindows-a",
  busy: new Set<string>(),
  owned: new Set(["libvirt domain in-state"]),
  siblings: new Set(["kindows-a", "kindows-sibling"]),
  ownershipOf: (lab: string) =>
    lab === "kindows-other"
      ? ({ kind: "theirs", claim: { project: "/other", stack: "s" } } as const)
      : lab === "kindows-deleted"
        ? ({ kind: "abandoned", claim: { project: "/deleted", stack: "s" } } as const)
        : ({ kind: "unclaimed" } as const),
};
const nothing = { own: [], unknown: [], elsewhere: [] };
const fullDisk = {
  kind: "paused libvirt domain",
  name: "w",
  seen: "vda: no space",
  first: "make room",
};
const clockOff: Finding = {
  name: "clock of win-1",
  seen: "2 h behind",
  remedy: "set it",
  repair: { kind: "run-join", node: "win-1" },
};

describe("what is left over on a host", () => {
  const cases: readonly (readonly [string, LabThing, object])[] = [
    ["in the state", thing("kindows-a", "in-state"), nothing],
    [
      "the lab's, not in its state",
      thing("kindows-a", "x"),
      { ...nothing, own: [thing("kindows-a", "x")] },
    ],
    [
      "another clone's lab",
      thing("kindows-other", "x"),
      {
        ...nothing,
        elsewhere: [
          { lab: "kindows-other", things: [thing("kindows-other", "x")], project: "/other" },
        ],
      },
    ],
    ...["kindows-deleted", "kindows-nobody", "kindows-sibling"].map(
      (lab) =>
        [
          `a lab of nobody's: ${lab}`,
          thing(lab, "x"),
          { ...nothing, unknown: [{ lab, things: [thing(lab, "x")] }] },
        ] as const,
    ),
  ];
  for (const [name, each, expected] of cases) {
    it(name, () => {
      assert.deepEqual(sortLeftovers([each], known), expected);
    });
  }

  it("is nothing of a lab that a run works on", () => {
    const busy = { ...known, busy: new Set(["kindows-a", "kindows-sibling"]) };
    const things = [thing("kindows-a", "x"), thing("kindows-sibling", "y")];
    assert.deepEqual(sortLeftovers(things, busy), nothing);
  });
});

describe("the doctor's report", () => {
  const fine: Diagnosis = {
    stack: "rehearsal",
    lab: "kindows-rehearsal",
    present: [{ what: "Docker", detail: "20.10.24" }],
    problems: [],
    leftovers: nothing,
    asleep: [],
    findings: [],
    heartbeats: {},
    staleFiles: [],
    busy: false,
  };

  it("of a host in order", () => {
    assert.equal(isFine(fine), true);
    assert.equal(
      doctorText(fine),
      "THERE\nDocker  20.10.24\n\nNothing in the way of the stack rehearsal, nothing left over.",
    );
  });

  const troubles: readonly (readonly [string, Partial<Diagnosis>, RegExp])[] = [
    [
      "a problem",
      { problems: ["Docker does not answer"] },
      /In the way of the stack rehearsal:\n {2}- Docker does not answer/,
    ],
    [
      "something that stands still",
      {
        asleep: [
          { kind: "docker container", name: "kindows-rehearsal-control-plane", verb: "start" },
        ],
      },
      /Stands still in the lab kindows-rehearsal .*--fix.*\n {2}- docker container kindows-rehearsal-control-plane/,
    ],
    [
      "something that a person has to do first",
      { asleep: [{ ...fullDisk, verb: "start" }] },
      /- paused libvirt domain w \(vda: no space\)\n {4}--fix leaves it alone; make room$/,
    ],
    [
      "a finding that is repaired",
      { findings: [clockOff] },
      /Wrong in the lab kindows-rehearsal:\n {2}- clock of win-1: 2 h behind\n {4}set it\n {4}--fix: stop kubelet on win-1/,
    ],
    [
      "a finding that is not",
      { findings: [{ name: "node win-1", seen: "closed", remedy: "kubectl uncordon win-1" }] },
      /- node win-1: closed\n {4}kubectl uncordon win-1$/,
    ],
    [
      "own leftovers",
      { leftovers: { ...nothing, own: [thing("kindows-rehearsal", "kindows-rehearsal-win-1")] } },
      /Left over from the lab kindows-rehearsal .*kindows doctor --fix --stack rehearsal.*\n {2}- libvirt domain kindows-rehearsal-win-1/,
    ],
    [
      "a stranger's leftovers",
      {
        leftovers: {
          ...nothing,
          unknown: [{ lab: "kindows-x", things: [thing("kindows-x", "y")] }],
        },
      },
      /Left over from a lab kindows-x/,
    ],
    ["files", { staleFiles: ["/f/kubeconfig"] }, /- file \/f\/kubeconfig/],
  ];
  for (const [name, change, text] of troubles) {
    it(`with ${name} is not fine`, () => {
      const diagnosis = { ...fine, ...change };
      assert.equal(isFine(diagnosis), false);
      assert.match(doctorText(diagnosis), text);
    });
  }

  it("names other clones' labs, which are no problem", () => {
    const elsewhere = [{ lab: "kindows-b", project: "/b", things: [thing("kindows-b", "y")] }];
    const diagnosis = { ...fine, leftovers: { ...nothing, elsewhere } };
    assert.equal(isFine(diagnosis), true);
    assert.match(doctorText(diagnosis), /The lab kindows-b \(1 thing\) is run from \/b\./);
  });
});

describe("what the doctor repairs", () => {
  const found: Diagnosis = {
    stack: "rehearsal",
    lab: "kindows-rehearsal",
    present: [],
    problems: ["Docker does not answer"],
    leftovers: {
      own: [thing("kindows-rehearsal", "kindows-rehearsal-win-2")],
      unknown: [{ lab: "kindows-x", things: [thing("kindows-x", "y")] }],
      elsewhere: [{ lab: "kindows-b", project: "/b", things: [thing("kindows-b", "z")] }],
    },
    asleep: [{ kind: "libvirt network", name: "kindows-rehearsal", verb: "start" }],
    findings: [],
    heartbeats: {},
    staleFiles: ["/f/kubeconfig"],
    busy: false,
  };
  const alone = { ...found, leftovers: nothing, asleep: [], staleFiles: [] };
  const certificates: Finding = {
    name: "certificates of c",
    seen: "expired",
    remedy: "renew them",
    repair: { kind: "renew-certificates", containers: ["c"] },
  };

  it("is what stands still and what is left of the own lab, and is said before", () => {
    assert.deepEqual(plannedRepairs(found), [
      "start libvirt network kindows-rehearsal",
      "remove libvirt domain kindows-rehearsal-win-2",
      "remove file /f/kubeconfig",
    ]);
  });

  it("is nothing inside a lab of which a part stands still: that may be all that is wrong", () => {
    assert.deepEqual(plannedRepairs({ ...found, findings: [clockOff] }), plannedRepairs(found));
  });

  it("is not what a person has to make room for first, and the rest all the same", () => {
    const asleep = [{ ...fullDisk, verb: "start" }];
    assert.deepEqual(plannedRepairs({ ...alone, asleep }), []);
    assert.match(plannedRepairs({ ...alone, asleep, findings: [clockOff] })[0] ?? "", /Join-Node/);
  });

  it("is each repair once, though two findings ask for it, and none where none is known", () => {
    const node: Finding = { ...clockOff, name: "node win-1" };
    const closed: Finding = { name: "node win-1", seen: "closed", remedy: "open it" };
    const planned = plannedRepairs({ ...alone, findings: [clockOff, node, closed] });
    assert.equal(planned.length, 1);
  });

  it("is the certificates before all that needs the API server", () => {
    const planned = plannedRepairs({ ...alone, findings: [clockOff, certificates] });
    assert.equal(planned.length, 1);
    assert.match(planned[0] ?? "", /^renew the certificates of the control plane in c, /);
  });
});

describe("what the doctor waits for after a repair", () => {
  const since = new Date("2027-03-01T12:00:00Z");
  const calm = {
    asleep: [],
    findings: [],
    heartbeats: { "win-1": new Date("2027-03-01T12:00:05Z") },
  };
  const finding = (name: string): Finding => ({ name, seen: "s", remedy: "r" });
  const cases: readonly (readonly [
    string,
    Parameters<typeof stillSettling>[0],
    RegExp | undefined,
  ])[] = [
    ["is nothing where all is in order", calm, undefined],
    [
      "is a node that is not Ready",
      { ...calm, findings: [finding("node win-1")] },
      /^node win-1: s$/,
    ],
    ["is the API server", { ...calm, findings: [finding("API server")] }, /^API server: s$/],
    ["is not what a person does", { ...calm, findings: [finding("join of win-2")] }, undefined],
    [
      "is a node that was not heard of since",
      { ...calm, heartbeats: { "win-1": new Date("2027-03-01T11:59:59Z") } },
      /^node win-1 was last heard of at 2027-03-01T11:59:59.000Z$/,
    ],
    [
      "is nothing where something stands still",
      { ...calm, asleep: [{ ...fullDisk, verb: "start" }], findings: [finding("node win-1")] },
      undefined,
    ],
    [
      "is nothing that a wrong clock tells",
      { ...calm, findings: [clockOff, finding("node win-1")] },
      undefined,
    ],
    [
      "is the API server, without which a wrong clock cannot be repaired",
      { ...calm, findings: [finding("clock of win-1"), finding("API server")] },
      /^API server: s$/,
    ],
    [
      "is nothing before the certificates are good",
      {
        ...calm,
        findings: [
          {
            ...finding("certificates of c"),
            repair: { kind: "renew-certificates", containers: ["c"] },
          },
          finding("API server"),
        ],
      },
      undefined,
    ],
  ];
  for (const [name, diagnosis, waited] of cases) {
    it(name, () => {
      const text = stillSettling(diagnosis, since);
      if (waited === undefined) assert.equal(text, undefined);
      else assert.match(text ?? "", waited);
    });
  }
});
