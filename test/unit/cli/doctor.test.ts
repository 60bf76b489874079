import assert from "node:assert/strict";
import { plannedRepairs, stillSettling } from "../../../cli/doctor/fix.ts";
import { sortLeftovers, type Diagnosis } from "../../../cli/doctor/examine.ts";
import type { Finding } from "../../../cli/doctor/finding.ts";
import { doctorText, isFine } from "../../../cli/doctor/report.ts";
import type { Ownership } from "../../../cli/lab/claim.ts";
import type { HostResource } from "../../../cli/host-resources/resource-kind.ts";
import { eachCase } from "../each-case.ts";

const thing = (lab: string, name: string): HostResource => ({
  kind: "libvirt domain",
  name,
  lab,
  identity: `libvirt domain ${name}`,
});

const ownerships: Readonly<Record<string, Ownership>> = {
  "kindows-other": { kind: "theirs", claim: { project: "/other", stack: "s" } },
  "kindows-deleted": { kind: "abandoned", claim: { project: "/deleted", stack: "s" } },
};
const known = {
  own: "kindows-a",
  busy: new Set<string>(),
  owned: new Set(["libvirt domain in-state"]),
  siblings: new Set(["kindows-a", "kindows-sibling"]),
  ownershipOf: (lab: string) => ownerships[lab] ?? ({ kind: "unclaimed" } as const),
};
const nothing = { own: [], unknown: [], elsewhere: [] };
const fine: Diagnosis = {
  ...{ stack: "rehearsal", lab: "kindows-rehearsal", leftovers: nothing, heartbeats: {} },
  ...{ problems: [], asleep: [], findings: [], busy: false },
  present: [{ what: "Docker", detail: "20.10.24" }],
};
const fullDisk = {
  ...{ kind: "paused libvirt domain", name: "w", verb: "start" },
  ...{ seen: "vda: no space", first: "make room" },
};
const strangers = { lab: "kindows-x", things: [thing("kindows-x", "y")] };
const elsewhere = [{ lab: "kindows-b", project: "/b", things: [thing("kindows-b", "y")] }];
const clockOff: Finding = {
  name: "clock of win-1",
  seen: "2 h behind",
  remedy: "set it",
  repair: { kind: "run-join", node: "win-1" },
};
const certificates: Finding = {
  name: "certificates of c",
  seen: "expired",
  remedy: "renew them",
  repair: { kind: "renew-certificates", containers: ["c"] },
};

describe("what is left over on a host", () => {
  const other = thing("kindows-other", "x");
  const cases: Readonly<Record<string, readonly [HostResource, object]>> = {
    "in the state": [thing("kindows-a", "in-state"), {}],
    "the lab's, not in its state": [thing("kindows-a", "x"), { own: [thing("kindows-a", "x")] }],
    "another clone's lab": [
      other,
      { elsewhere: [{ lab: "kindows-other", things: [other], project: "/other" }] },
    ],
  };
  const nobodys = ["kindows-deleted", "kindows-nobody", "kindows-sibling"].map((lab) => {
    const things = [thing(lab, "x")] as const;
    return [`a lab of nobody's: ${lab}`, [things[0], { unknown: [{ lab, things }] }]] as const;
  });
  for (const [name, [each, expected]] of [...Object.entries(cases), ...nobodys]) {
    it(name, () => assert.deepEqual(sortLeftovers([each], known), { ...nothing, ...expected }));
  }

  it("is nothing of a lab that a run works on", () => {
    const busy = { ...known, busy: new Set(["kindows-a", "kindows-sibling"]) };
    const things = [thing("kindows-a", "x"), thing("kindows-sibling", "y")];
    assert.deepEqual(sortLeftovers(things, busy), nothing);
  });
});

describe("the doctor's report", () => {
  it("of a host in order", () => {
    assert.equal(isFine(fine), true);
    const text =
      "THERE\nDocker  20.10.24\n\nNothing in the way of the stack rehearsal, nothing left over.";
    assert.equal(doctorText(fine), text);
  });

  const control = { kind: "docker container", name: "kindows-rehearsal-control-plane" };
  const win1 = thing("kindows-rehearsal", "kindows-rehearsal-win-1");
  const troubles: Readonly<Record<string, readonly [Partial<Diagnosis>, RegExp]>> = {
    "a problem": [
      { problems: ["Docker does not answer"] },
      /In the way of the stack rehearsal:\n {2}- Docker does not answer/,
    ],
    "something that stands still": [
      { asleep: [{ ...control, verb: "start" }] },
      /Stopped in the lab kindows-rehearsal .*--fix.*\n {2}- docker container kindows-rehearsal-control-plane/,
    ],
    "something that a person has to do first": [
      { asleep: [fullDisk] },
      /- paused libvirt domain w \(vda: no space\)\n {4}--fix leaves it alone; make room$/,
    ],
    "a finding that is repaired": [
      { findings: [clockOff] },
      /Wrong in the lab kindows-rehearsal:\n {2}- clock of win-1: 2 h behind\n {4}set it\n {4}--fix: stop kubelet on win-1/,
    ],
    "a finding that is not": [
      { findings: [{ name: "node win-1", seen: "closed", remedy: "kubectl uncordon win-1" }] },
      /- node win-1: closed\n {4}kubectl uncordon win-1$/,
    ],
    "own leftovers": [
      { leftovers: { ...nothing, own: [win1] } },
      /Left over from the lab kindows-rehearsal .*kindows doctor --fix --stack rehearsal.*\n {2}- libvirt domain kindows-rehearsal-win-1/,
    ],
    "a stranger's leftovers": [
      { leftovers: { ...nothing, unknown: [strangers] } },
      /Left over from a lab kindows-x/,
    ],
  };
  eachCase("with %s is not fine", troubles, ([change, text]) => {
    const diagnosis = { ...fine, ...change };
    assert.equal(isFine(diagnosis), false);
    assert.match(doctorText(diagnosis), text);
  });

  it("names other clones' labs, which are no problem", () => {
    const diagnosis = { ...fine, leftovers: { ...nothing, elsewhere } };
    assert.equal(isFine(diagnosis), true);
    assert.match(doctorText(diagnosis), /The lab kindows-b \(1 thing\) is run from \/b\./);
  });
});

describe("what the doctor repairs", () => {
  const found: Diagnosis = {
    ...{ ...fine, problems: ["Docker does not answer"] },
    leftovers: {
      own: [thing("kindows-rehearsal", "kindows-rehearsal-win-2")],
      ...{ unknown: [strangers], elsewhere },
    },
    asleep: [{ kind: "libvirt network", name: "kindows-rehearsal", verb: "start" }],
  };

  it("is what stands still and what is left of the own lab, and is said before", () =>
    assert.deepEqual(plannedRepairs(found), [
      "start libvirt network kindows-rehearsal",
      "remove libvirt domain kindows-rehearsal-win-2",
    ]));

  it("is nothing inside a lab of which a part stands still: that may be all that is wrong", () =>
    assert.deepEqual(plannedRepairs({ ...found, findings: [clockOff] }), plannedRepairs(found)));

  it("is not what a person has to make room for first, and the rest all the same", () => {
    const asleep = [fullDisk];
    assert.deepEqual(plannedRepairs({ ...fine, asleep }), []);
    assert.match(plannedRepairs({ ...fine, asleep, findings: [clockOff] })[0] ?? "", /Join-Node/);
  });

  it("is each repair once, though two findings ask for it, and none where none is known", () => {
    const node: Finding = { ...clockOff, name: "node win-1" };
    const closed: Finding = { name: "node win-1", seen: "closed", remedy: "open it" };
    const planned = plannedRepairs({ ...fine, findings: [clockOff, node, closed] });
    assert.equal(planned.length, 1);
  });

  it("is the certificates before all that needs the API server", () => {
    const planned = plannedRepairs({ ...fine, findings: [clockOff, certificates] });
    assert.equal(planned.length, 1);
    assert.match(planned[0] ?? "", /^renew the certificates of the control plane in c, /);
  });
});

describe("what the doctor waits for after a repair", () => {
  const since = new Date("2027-03-01T12:00:00Z");
  const heard = (time: string): object => ({ heartbeats: { "win-1": new Date(time) } });
  const finding = (name: string): Finding => ({ name, seen: "s", remedy: "r" });
  const [node, api] = [finding("node win-1"), finding("API server")];
  const cases: Readonly<Record<string, readonly [Partial<Diagnosis>, string | undefined]>> = {
    "is nothing where all is in order": [{}, undefined],
    "is a node that is not Ready": [{ findings: [node] }, "node win-1: s"],
    "is the API server": [{ findings: [api] }, "API server: s"],
    "is not what a person does": [{ findings: [finding("join of win-2")] }, undefined],
    "is a node that was not heard of since": [
      heard("2027-03-01T11:59:59Z"),
      "node win-1 was last heard of at 2027-03-01T11:59:59.000Z",
    ],
    "is nothing where something stands still": [
      { asleep: [fullDisk], findings: [node] },
      undefined,
    ],
    "is nothing that a wrong clock tells": [{ findings: [clockOff, node] }, undefined],
    "is the API server, without which a wrong clock cannot be repaired": [
      { findings: [finding("clock of win-1"), api] },
      "API server: s",
    ],
    "is nothing before the certificates are good": [{ findings: [certificates, api] }, undefined],
  };
  eachCase("%s", cases, ([change, waited]) => {
    const diagnosis = { ...fine, ...heard("2027-03-01T12:00:05Z"), ...change };
    assert.equal(stillSettling(diagnosis, since), waited);
  });
});
