import assert from "node:assert/strict";

import { checkLab, type LabAnswers } from "../../../cli/doctor/examine-lab.ts";
import type { Diagnosis } from "../../../cli/doctor/examine.ts";
import type { Finding, FindingKind } from "../../../cli/doctor/finding.ts";
import { plannedRepairs, stillSettling } from "../../../cli/doctor/fix.ts";
import { sortOrphans } from "../../../cli/doctor/orphans.ts";
import { withNewClient } from "../../../cli/doctor/repairs.ts";
import { doctorText, isFine } from "../../../cli/doctor/report.ts";
import type { HostResource } from "../../../components/host-resource.ts";
import { labState, type NodeMachine, withToken } from "../../../cli/lab/lab-state.ts";
import { parseDeployment, type StateResource } from "../../../cli/engine/deployment.ts";
import { assertGolden } from "../controlplane/golden.ts";
import { eachCase } from "../each-case.ts";
import {
  component,
  connection,
  deployment,
  resource,
  secret,
  windowsNode,
  stepInputs,
} from "./state-builder.ts";

const thing = (lab: string, name: string): HostResource => ({
  kind: "libvirt domain",
  name,
  lab,
  identity: `libvirt domain ${name}`,
});

const byHand = "by hand";
const known = {
  own: "kindows-a",
  busy: new Set<string>(),
  owned: new Set(["libvirt domain in-state"]),
  foreign: new Set<HostResource>(),
  elsewhere: new Map([["kindows-other", "/other"]]),
  byHand: () => byHand,
};
const nothing = { own: [], unknown: [], elsewhere: [] };
const fine: Diagnosis = {
  stack: "rehearsal",
  lab: "kindows-rehearsal",
  leftovers: nothing,
  heartbeats: {},
  problems: [],
  asleep: [],
  findings: [],
  busy: false,
  present: [{ what: "Docker", detail: "20.10.24" }],
};
const fullDisk = {
  kind: "paused libvirt domain",
  name: "w",
  verb: "start",
  seen: "vda: no space",
  first: "make room",
};
const strangers = { lab: "kindows-x", things: [{ ...thing("kindows-x", "y"), byHand }] };
const elsewhere = [{ lab: "kindows-b", project: "/b", things: [thing("kindows-b", "y")] }];
const clockOff: Finding = {
  kind: "clock-wrong",
  subject: "win-1",
  seen: "2 h behind",
  remedy: "set it",
  repair: { kind: "run-join", node: "win-1" },
};
const join =
  "stop kubelet on win-1 and run Join-Node there again, which sets the clock by the control plane's and starts kubelet";
const closed: Finding = {
  kind: "node-pressure",
  subject: "win-1",
  seen: "closed",
  remedy: "open it",
};
const own = [thing("kindows-rehearsal", "kindows-rehearsal-win-2")];
const certificates: Finding = {
  kind: "certificates-expire",
  subject: "c",
  seen: "expired",
  remedy: "renew them",
  repair: { kind: "renew-certificates", containers: ["c"] },
};

describe("what is left over on a host", () => {
  const [other, stranger] = [thing("kindows-other", "x"), thing("kindows-nobody", "x")];
  const mine = thing("kindows-a", "x");
  const cases: Readonly<Record<string, readonly [HostResource, object]>> = {
    "in the state": [thing("kindows-a", "in-state"), {}],
    "the lab's, not in its state": [thing("kindows-a", "x"), { own: [thing("kindows-a", "x")] }],
    "a lab of no stack here": [
      stranger,
      { unknown: [{ lab: "kindows-nobody", things: [{ ...stranger, byHand }] }] },
    ],
    "named as the lab, and another's by its note": [
      { ...mine, isOurs: false },
      { unknown: [{ lab: "kindows-a", things: [{ ...mine, isOurs: false, byHand }] }] },
    ],
    "another clone's lab": [
      other,
      { elsewhere: [{ lab: "kindows-other", things: [other], project: "/other" }] },
    ],
  };
  eachCase("%s", cases, ([each, expected]) =>
    assert.deepEqual(sortOrphans([each], known), { ...nothing, ...expected }),
  );

  it("is not the lab's where it cannot be shown to be", () =>
    assert.deepEqual(sortOrphans([mine], { ...known, foreign: new Set([mine]) }), {
      ...nothing,
      unknown: [{ lab: "kindows-a", things: [{ ...mine, byHand }] }],
    }));

  it("is nothing of a lab that a run works on", () => {
    const busy = { ...known, busy: new Set(["kindows-a", "kindows-sibling"]) };
    const things = [thing("kindows-a", "x"), thing("kindows-sibling", "y")];
    assert.deepEqual(sortOrphans(things, busy), nothing);
  });
});

describe("the doctor's report", () => {
  it("of a host in order", () => {
    assert.equal(isFine(fine), true);
    const text =
      "PRESENT\nDocker   20.10.24\n\nThe stack rehearsal has no problems, and nothing is left over from its lab.";
    assert.equal(doctorText(fine), text);
  });

  it("tells all that is wrong and what helps, and with any of it nothing is fine", () => {
    const wrong = {
      problems: ["Docker does not answer"],
      asleep: [{ kind: "docker container", name: "cp", verb: "start" }, fullDisk],
      findings: [clockOff, closed],
      leftovers: { own, unknown: [strangers], elsewhere },
      busy: true,
    };
    assertGolden(new URL(import.meta.url), "doctor.txt", doctorText({ ...fine, ...wrong }));
    const { problems, asleep, findings } = wrong;
    for (const change of [{ problems }, { asleep }, { findings }]) {
      assert.equal(isFine({ ...fine, ...change }), false, JSON.stringify(change));
    }
  });

  const namesake = thing(fine.lab, "z");
  const cases: Readonly<Record<string, readonly [Partial<Diagnosis["leftovers"]>, boolean]>> = {
    "the own lab's": [{ own }, false],
    "a lab's that no project knows": [{ unknown: [strangers] }, true],
    "a lab's that another clone runs": [{ elsewhere }, true],
    "named like the own lab, and unknown": [
      { unknown: [{ lab: fine.lab, things: [{ ...namesake, byHand }] }] },
      false,
    ],
    "named like the own lab, and another clone's": [
      { elsewhere: [{ lab: fine.lab, project: "/b", things: [namesake] }] },
      false,
    ],
    "named like the own lab in a kubeconfig, by somebody else": [
      { unknown: [{ lab: fine.lab, things: [{ ...namesake, isOurs: false, byHand }] }] },
      true,
    ],
  };
  eachCase("tells what is in the way from what is not: %s", cases, ([leftovers, expected]) =>
    assert.equal(isFine({ ...fine, leftovers: { ...nothing, ...leftovers } }), expected),
  );
});

describe("what the doctor repairs, and says before", () => {
  const asleep = [{ kind: "libvirt network", name: "kindows-rehearsal", verb: "start" }];
  const cases: Readonly<Record<string, readonly [Partial<Diagnosis>, readonly string[]]>> = {
    "is what is stopped and what is left of the own lab": [
      { problems: ["x"], leftovers: { own, unknown: [strangers], elsewhere }, asleep },
      ["start libvirt network kindows-rehearsal", "remove libvirt domain kindows-rehearsal-win-2"],
    ],
    "is not what a person has to make room for first": [{ asleep: [fullDisk] }, []],
    "is the rest all the same": [{ asleep: [fullDisk], findings: [clockOff] }, [join]],
    "is each repair once, though two findings ask for it, and none where none is known": [
      { findings: [clockOff, { ...clockOff, kind: "node-silent" }, closed] },
      [join],
    ],
  };
  eachCase("%s", cases, ([change, planned]) =>
    assert.deepEqual(plannedRepairs({ ...fine, ...change }), planned),
  );
});

describe("what the doctor waits for after a repair", () => {
  const since = new Date("2027-03-01T12:00:00Z");
  const heard = (time: string): object => ({ heartbeats: { "win-1": new Date(time) } });
  const finding = (kind: FindingKind): Finding => {
    return { kind, subject: "win-1", seen: "s", remedy: "r" };
  };
  const [node, api] = [finding("node-not-ready"), finding("api-server-silent")];
  const cases: Readonly<Record<string, readonly [Partial<Diagnosis>, string | undefined]>> = {
    "is nothing where all is in order": [{}, undefined],
    "is a node that is not Ready": [{ findings: [node] }, "node win-1: s"],
    "is the API server": [{ findings: [api] }, "API server: s"],
    "is not what a person does": [{ findings: [finding("join-unfinished")] }, undefined],
    "is not a cordoned node": [{ findings: [finding("node-cordoned")] }, undefined],
    "is a node that was not heard of since": [
      heard("2027-03-01T11:59:59Z"),
      "node win-1 was last heard of at 2027-03-01T11:59:59.000Z",
    ],
    "is nothing where something is stopped": [{ asleep: [fullDisk], findings: [node] }, undefined],
    "is nothing that a wrong clock tells": [{ findings: [clockOff, node] }, undefined],
    "is the API server, without which a wrong clock cannot be repaired": [
      { findings: [finding("clock-wrong"), api] },
      "API server: s",
    ],
    "is nothing before the certificates are good": [{ findings: [certificates, api] }, undefined],
  };
  eachCase("%s", cases, ([change, waited]) => {
    const diagnosis = { ...fine, ...heard("2027-03-01T12:00:05Z"), ...change };
    assert.equal(stillSettling(diagnosis, since), waited);
  });
});

const joinInput = JSON.stringify({ token: "abcdef.0123456789abcdef", caCertHashes: ["sha256:0"] });

const cluster = component(
  "kindows:controlplane:KindCluster",
  "control-plane",
  { name: "kindows-x", image: "", podCidr: "", serviceCidr: "", controlPlanes: [] },
  { outputs: { kubeconfig: secret("KUBECONFIG") } },
);
const checkFolder = "C:\\k";
const outputs = { connection: secret({ ...connection, privateKey: secret("KEY") }) };
/** A node with its machine, and steps on it. */
const parts = (name: string, ...steps: Partial<StateResource>[]): StateResource[] => {
  const node = windowsNode(name);
  return [
    component("kindows:machine:HyperVMachine", name, { node: name }, { outputs }),
    node,
    resource("command:remote:CopyToRemote", `${name}-home`, { parent: node.urn }),
    ...steps.map((rest, at) =>
      resource("command:remote:Command", `${name}-step-${at}`, { parent: node.urn, ...rest }),
    ),
  ];
};
const [machine] = parts("win-1");
const token = resource("command:local:Command", "win-1-token", {
  parent: machine?.urn,
  inputs: stepInputs("mint-token"),
});
const joining: Partial<StateResource> = {
  inputs: {
    create: secret("powershell Join-Node.ps1"),
    stdin: secret(joinInput),
    ...stepInputs("Join-Node"),
  },
  dependencies: [token.urn],
};

describe("what a stack's state says of its lab", () => {
  it("is the kubeconfig, each machine that has its scripts, with its join, and nobody that has not joined", () => {
    const state = deployment([
      ...[cluster, token, ...parts("win-1", {}, joining)],
      ...[...parts("win-2"), ...parts("win-3", { delete: true })],
      component("kindows:machine:ExistingMachine", "lin-1", { node: "lin-1" }, { outputs }),
    ]);
    assert.deepEqual(labState(parseDeployment(JSON.stringify(state))), {
      kubeconfig: "KUBECONFIG",
      machines: [
        {
          node: "win-1",
          ...connection,
          scripts: "C:\\kindows\\steps\\Export-NodeLog",
          checkFolder,
          join: { command: "powershell Join-Node.ps1", input: joinInput },
        },
      ],
      unjoined: [],
      awaitsPodNetwork: false,
      secrets: [
        ...["KUBECONFIG", "KEY", "powershell Join-Node.ps1", joinInput],
        ...["abcdef.0123456789abcdef", "sha256:0"],
      ],
    });
  });

  it("is a token nobody has used, where the join is not in it", () => {
    const state = labState(deployment([cluster, token, ...parts("win-1", {})]));
    assert.deepEqual(state.unjoined, ["win-1"]);
    assert.equal(state.machines[0]?.join, undefined);
  });

  it("gives a join another token, and refuses what is no join", () => {
    const expected = { token: "t", caCertHashes: ["sha256:0"] };
    assert.deepEqual(JSON.parse(withToken(joinInput, "t")), expected);
    for (const bad of ["", "no", "{}"]) {
      assert.throws(() => withToken(bad, "t"), /run `kindows up`/);
    }
  });
});

describe("a lab as a whole", () => {
  const machine: NodeMachine = {
    node: "win-1",
    ...connection,
    scripts: "C:\\kindows\\steps\\0",
    checkFolder,
    join: { command: "join", input: joinInput },
  };
  const ready = (name: string): object => ({
    metadata: { name },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
  const now = new Date("2027-03-01T12:00:00Z");
  const later = new Date("2028-01-01T00:00:00Z");
  const plane = {
    container: "cp",
    authorities: [],
    kubelet: [],
    troubles: [],
    controlPlane: [{ name: "apiserver", until: later }],
  };
  const fine: LabAnswers = {
    state: {
      kubeconfig: "",
      machines: [machine],
      unjoined: [],
      awaitsPodNetwork: false,
      secrets: [],
    },
    cluster: {
      nodes: { items: [ready("cp"), ready("win-1")] },
      pods: { items: [] },
      leases: { items: [] },
    },
    certificates: [plane],
    now,
    clocks: [{ node: "win-1", seconds: 0 }],
    running: new Set(["win-1", "cp"]),
  };
  const clocks = [{ node: "win-1", seconds: 9999 }];
  const expired = [{ ...plane, controlPlane: [{ name: "apiserver", until: now }] }];

  type Found = readonly (readonly [kind: FindingKind, repair: string | undefined])[];
  const cases: Readonly<Record<string, readonly [Partial<LabAnswers>, Found]>> = {
    "in order": [{}, []],
    "whose clock is wrong": [{ clocks }, [["clock-wrong", "run-join"]]],
    "whose API server is silent": [
      { cluster: "connect ECONNREFUSED", clocks },
      [
        ["api-server-silent", "restart-kubelet"],
        ["clock-wrong", undefined],
      ],
    ],
    "whose API server is silent because of its certificates": [
      { cluster: "certificate has expired", certificates: expired },
      [
        ["certificates-expire", "renew-certificates"],
        ["api-server-silent", undefined],
      ],
    ],
    "of which nothing runs": [
      { cluster: "connect EHOSTUNREACH", certificates: [], clocks: [], running: new Set() },
      [["api-server-silent", undefined]],
    ],
    "whose API server answers something else": [
      { cluster: { nodes: "<html>", pods: "<html>", leases: "<html>" } },
      [["api-server-unreadable", undefined]],
    ],
  };
  eachCase("%s", cases, ([change, expected]) => {
    const found = checkLab({ ...fine, ...change });
    const kinds = found.map(({ kind, repair }) => [kind, repair?.kind]);
    assert.deepEqual(kinds, expected);
  });
});

describe("a state whose client has a new certificate", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const kubeconfig = (certificate: string, key: string): string =>
    [
      "clusters: [{cluster: {server: https://h:6443, certificate-authority-data: Y2E=}}]",
      `users: [{user: {client-certificate-data: ${base64(certificate)}, client-key-data: ${base64(key)}}}]`,
    ].join("\n");

  it("has it wherever the old one was, also in secrets within secrets", () => {
    const before = kubeconfig("old-certificate", "old-key");
    const state = JSON.stringify({ a: before, b: secret(secret(before)), other: base64("ca") });
    const after = withNewClient(state, before, kubeconfig("new-certificate", "new-key"));
    assert.ok(!after.includes(base64("old-certificate")) && !after.includes(base64("old-key")));
    assert.equal(after.split(base64("new-certificate")).length, 3);
    assert.equal(after.split(base64("new-key")).length, 3);
    assert.ok(after.includes(base64("ca")));
    JSON.parse(after);
  });
});
