import assert from "node:assert/strict";
import type { Diagnosis } from "../../../cli/doctor/examine.ts";
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
      "own leftovers",
      { leftovers: { ...nothing, own: [thing("kindows-rehearsal", "kindows-rehearsal-win-1")] } },
      /Left over from the lab kindows-rehearsal .*kindows down --stack rehearsal.*\n {2}- libvirt domain kindows-rehearsal-win-1/,
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
