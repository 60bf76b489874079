import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { V1Secret } from "@kubernetes/client-node";

import {
  checkCertificates,
  kubeadmCertificates,
  pemCertificate,
  gatherCertificates,
  type Certificate,
  type ContainerCertificates,
} from "../../../cli/doctor/certificates.ts";
import { type ClockReading, secondsOff } from "../../../cli/doctor/clocks.ts";
import { checkLab, type LabAnswers } from "../../../cli/doctor/examine-lab.ts";
import type { Finding, Repair } from "../../../cli/doctor/finding.ts";
import { checkNodes, type KnownNodes } from "../../../cli/doctor/nodes.ts";
import { eachCase } from "../each-case.ts";

const now = new Date("2027-03-01T12:00:00Z");
const runJoin = { kind: "run-join", node: "win-1" } as const;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Of findings: the kind and its subject, what is seen, and the repair. */
type Found = readonly (readonly [finding: string, seen: RegExp, repair?: Repair])[];

function assertFound(found: readonly Finding[], expected: Found): void {
  assert.deepEqual(
    found.map(({ kind, subject, repair }) => [`${kind} ${subject}`.trim(), repair]),
    expected.map(([finding, , repair]) => [finding, repair]),
  );
  found.forEach(({ seen, remedy }, index) => {
    assert.match(seen, expected[index]?.[1] ?? /^$/);
    assert.notEqual(remedy, "");
  });
}

describe("certificates of a lab", () => {
  const inDays = (days: number): Date => new Date(now.getTime() + days * 24 * 60 * 60 * 1000);
  const ending = (name: string, days: number): Certificate => ({ name, until: inDays(days) });
  const plane = (change: Partial<ContainerCertificates> = {}): ContainerCertificates => ({
    container: "c",
    controlPlane: [ending("apiserver", 300)],
    troubles: [],
    authorities: [ending("ca", 3000)],
    ...change,
    kubelet: change.kubelet ?? [{ ...ending("it", 300), from: inDays(-60) }],
  });
  const worker = (change: Partial<ContainerCertificates> = {}): ContainerCertificates =>
    plane({ container: "w", controlPlane: [], authorities: [], ...change });
  const renew: Repair = { kind: "renew-certificates", containers: ["c"] };
  const renewKubelet: Repair = { kind: "renew-kubelet-certificate", container: "w" };
  const several = [ending("etcd-server", 29), ending("apiserver", -2), ending("x", 99)];
  const expired =
    /^apiserver expired 2027-02-27T12:00Z; etcd-server ends in 29 days, 2027-03-30T12:00Z$/;
  interface Case {
    readonly containers?: readonly ContainerCertificates[];
    readonly kubeconfig?: readonly Certificate[];
    readonly found?: Found[number];
  }
  const cases: Readonly<Record<string, Case>> = {
    "that are all good are nothing to tell": {
      containers: [plane(), worker()],
      kubeconfig: [ending("it", 300)],
    },
    "that have expired, and that soon will, are one finding, the oldest first": {
      containers: [plane({ controlPlane: several })],
      found: ["certificates-expire c", expired, renew],
    },
    "of the stack's kubeconfig are renewed with the control plane's": {
      containers: [plane()],
      kubeconfig: [ending("its client certificate", 1.5)],
      found: ["kubeconfig-expires", /ends in 1 day, /, renew],
    },
    "of a kubeconfig whose control plane is not here are reported, and left": {
      containers: [worker()],
      kubeconfig: [ending("its client certificate", -1)],
      found: ["kubeconfig-expires", /expired/],
    },
    "of a worker's kubelet": {
      containers: [worker({ kubelet: [ending("it", -0.1)] })],
      found: ["kubelet-certificate-expires w", /it expired/, renewKubelet],
    },
    "of authorities cannot be renewed": {
      containers: [plane({ authorities: [ending("ca", 3)] })],
      found: ["authorities-expire c", /ca ends in 3 days/],
    },
    "that cannot be read are reported": {
      containers: [plane({ troubles: ["no answer within 60 s"] })],
      found: ["certificates-unreadable c", /they cannot be read: no answer within 60 s/],
    },
    "that begin in the future tell of this host's clock": {
      containers: [worker({ kubelet: [{ ...ending("it", 300), from: inDays(1) }] })],
      found: ["host-clock-behind", /it says 2027-03-01T12:00Z, before .* \(2027-03-02T12:00Z\)/],
    },
  };
  eachCase("%s", cases, ({ containers = [], kubeconfig = [], found }) =>
    assertFound(checkCertificates(containers, kubeconfig, now), found ? [found] : []),
  );
});

describe("what kubeadm and PEM files tell of certificates", () => {
  const pemFile = path.resolve(import.meta.dirname, "../controlplane/fixtures/localhost-ec.pem");
  const pem = readFileSync(pemFile, "utf8");
  const good = { name: "apiserver", expirationDate: "2027-01-02T03:04:05Z", residualTime: 3 };

  it("is read from kubeadm's JSON; one that is not there, or has no date, is left out", () => {
    const missing = { name: "super-admin.conf", expirationDate: null, missing: true };
    const certificates = [good, missing, { name: "garbled", expirationDate: "soon" }];
    const json = JSON.stringify({ certificates, certificateAuthorities: null });
    assert.deepEqual(kubeadmCertificates(json), {
      controlPlane: [{ name: "apiserver", until: new Date("2027-01-02T03:04:05Z") }],
      authorities: [],
    });
  });

  it("is read from PEM, and refused where it is something else", () => {
    for (const bad of ["", "no", "[]x", '{"certificates":[{"name":1}]}']) {
      assert.throws(() => kubeadmCertificates(bad), bad);
    }
    const { from, until } = pemCertificate("it", pem);
    assert.ok(from !== undefined && from < until);
    assert.throws(() => pemCertificate("it", ""));
  });

  it("is asked of each container, and one's silence hides nothing of another", async () => {
    const nodes =
      "c running kindows-x control-plane\nw running kindows-x worker\n" +
      "off exited kindows-x worker\nlb running kindows-x external-load-balancer\n";
    const answer = (line: string): string => {
      if (line.startsWith("ps ")) return nodes;
      if (line.startsWith("exec w ")) throw new Error("no answer\nat all");
      return line.includes("kubeadm") ? JSON.stringify({ certificates: [good] }) : pem;
    };
    const [first, second, ...rest] = await gatherCertificates("kindows-x", {
      libvirtUri: "qemu:///system",
      run: async (_program, args) => Promise.resolve(answer(args.join(" "))),
    });
    assert.deepEqual(rest, []);
    assert.equal(first?.controlPlane[0]?.name, "apiserver");
    assert.equal(first.kubelet.length, 1);
    const none = { controlPlane: [], authorities: [], kubelet: [] };
    assert.deepEqual(second, { container: "w", ...none, troubles: ["no answer"] });
  });
});

/** What is found in a lab that is otherwise in order. */
function foundIn({
  unjoined = [],
  tokens,
  clocks = [],
}: {
  readonly unjoined?: readonly string[];
  readonly tokens?: readonly V1Secret[] | undefined;
  readonly clocks?: readonly ClockReading[];
}): readonly Finding[] {
  const ready = { status: { conditions: [{ type: "Ready", status: "True" }] } };
  return checkLab({
    state: {
      kubeconfig: undefined,
      machines: [{ node: "win-1", join: {} }] as unknown as LabAnswers["state"]["machines"],
      ...{ unjoined, awaitsPodNetwork: false, secrets: [] },
    },
    cluster: {
      nodes: { items: [{ metadata: { name: "win-1" }, ...ready }] },
      ...{ pods: { items: [] }, leases: { items: [] } },
      tokens: tokens && { items: [...tokens] },
    },
    ...{ certificates: [], clocks, now, running: new Set(["win-1"]) },
  });
}

describe("the clock of a machine", () => {
  const at = (seconds: number): Date => new Date(Date.UTC(2027, 0, 1) + seconds * 1000);
  const check = (...clocks: readonly ClockReading[]) => foundIn({ clocks });
  for (const [time, off, reported] of [
    [0, 0, undefined],
    [4, 0, undefined],
    [34, 30, undefined],
    [-30, -30, undefined],
    [35, 31, "31 s ahead of"],
    [-31, -31, "31 s behind"],
    [-600, -600, "10 min behind"],
    [7 * 3600 + 4, 7 * 3600, "7.0 h ahead of"],
    [-86400, -86400, "24.0 h behind"],
  ] as const) {
    it(`that says ${time} s, asked at 0 and answering at 4, is ${off} s off`, () => {
      const seconds = secondsOff(at(time), at(0), at(4));
      assert.equal(seconds, off);
      const seen = `it is ${reported} this host's, which the control plane uses too`;
      const expected: Found =
        reported === undefined ? [] : [["clock-wrong win-1", new RegExp(`^${seen}$`), runJoin]];
      assertFound(check({ node: "win-1", seconds }), expected);
    });
  }

  it("of other machines is reported too if one machine does not answer", () => {
    const silent = { node: "win-2", trouble: "connect ECONNREFUSED" };
    assertFound(check(silent, { node: "win-1", seconds: 999 }), [
      ["machine-silent win-2", /ECONNREFUSED/],
      ["clock-wrong win-1", /ahead/, runJoin],
    ]);
  });
});

describe("the token of a join that was not finished", () => {
  const token = (node: string, expires: string): V1Secret => ({
    data: { description: base64(`kindows: join of ${node}`), expiration: base64(expires) },
  });
  const cases: Readonly<Record<string, readonly [readonly V1Secret[] | undefined, RegExp]>> = {
    "is good": [[{}, token("win-2", "2027-03-01T12:30:00Z")], /its token is still valid/],
    "has expired and is still there": [[token("win-2", "2027-03-01T11:00:00Z")], /has expired/],
    "has expired and is gone": [[], /has expired/],
    "is another node's": [[token("win-1", "2027-03-01T13:00:00Z")], /has expired/],
    "says no date": [[token("win-2", "")], /has expired/],
    "cannot be seen": [undefined, /it is unknown whether its token is still valid/],
  };
  eachCase("%s", cases, ([tokens, seen]) => {
    const found = foundIn({ unjoined: ["win-2"], tokens });
    assertFound(found, [["join-unfinished win-2", seen]]);
    assert.match(found[0]?.remedy ?? "", /kindows up/);
  });
});

describe("nodes of a lab", () => {
  const longAgo = "2027-03-01T11:00:00Z";
  const justNow = "2027-03-01T11:59:00Z";
  const known: KnownNodes = {
    joined: ["win-1"],
    containers: ["cp"],
    wrongClocks: [],
    canJoin: (node) => node === "win-1",
    awaitsPodNetwork: false,
  };

  it("are not Ready before the user has installed a pod network, nor are there nodes for pods", () => {
    const items = [node("win-1", "False"), node("cp", "False")];
    const pending = { items: [pod(undefined, {}), pod("cp", {})] };
    const answer = { nodes: { items }, pods: pending, leases };
    const found = (awaitsPodNetwork: boolean, nodes = items) =>
      checkNodes({ ...answer, nodes: { items: nodes } }, { ...known, awaitsPodNetwork }, now).map(
        ({ kind, subject }) => `${kind} ${subject}`,
      );
    const [first, second] = ["node-not-ready win-1", "node-not-ready cp"];
    assert.deepEqual(found(false), [first, second, "pod-not-ready kube-system/p"]);
    assert.deepEqual(found(true), []);
    // A kubelet that is silent is a fault all the same, and once a node is Ready, pods are looked at.
    assert.deepEqual(found(true, [node("win-1", "Unknown"), node("cp", "False")]), [first]);
    assert.deepEqual(found(true, [node("win-1", "False"), node("cp")]), [
      "pod-not-ready kube-system/p",
      "pod-not-ready kube-system/p",
    ]);
  });

  const lease = (name: string, renewTime: string | null): object => ({
    metadata: { name },
    spec: { renewTime },
  });
  const leases = { items: [lease("win-1", "2027-03-01T11:59:50.123456Z"), lease("cp", null)] };

  const node = (name: string, status = "True", spec = {}, annotations = {}, ...more: object[]) => ({
    metadata: { name, annotations },
    spec,
    status: {
      conditions: [{ type: "Ready", status, message: "Kubelet stopped posting." }, ...more],
    },
  });
  const pod = (nodeName: string | undefined, status: object, metadata = {}) => ({
    metadata: { name: "p", creationTimestamp: longAgo, ...metadata },
    spec: { nodeName },
    status: { containerStatuses: [], ...status },
  });

  const notReady = (lastTransitionTime: string): object => {
    const message = "containers not ready";
    const condition = { type: "Ready", status: "False", message, lastTransitionTime };
    return { phase: "Running", conditions: [condition] };
  };
  const fine = [node("cp"), node("win-1")];
  const silentWindows = [node("cp"), node("win-1", "Unknown")];
  const closed = { unschedulable: true };
  const upgrading = { "kindows.dev/cordoned-for": "upgrade" };
  const fullDisk = { type: "DiskPressure", status: "True", message: "no room" };
  const pulling = { state: { waiting: { reason: "ImagePullBackOff" } } };
  const cases: Readonly<Record<string, { nodes?: object[]; pods?: object[]; found?: Found }>> = {
    "in order are nothing to tell": {},
    "whose kubelet is silent on Windows": {
      nodes: silentWindows,
      found: [["node-not-ready win-1", /not Ready: Kubelet stopped/, runJoin]],
    },
    "whose kubelet is silent in a container": {
      nodes: [node("cp", "Unknown"), node("win-1")],
      found: [["node-not-ready cp", /not Ready/, { kind: "restart-kubelet", container: "cp" }]],
    },
    "that somebody has deleted": {
      nodes: [node("cp")],
      found: [["node-missing win-1", /not in the cluster/, runJoin]],
    },
    "that are not the stack's, and not Ready": {
      nodes: [...fine, node("other", "False")],
      found: [["node-not-ready other", /not Ready/]],
    },
    "closed by somebody": {
      nodes: [node("cp"), node("win-1", "True", closed)],
      found: [["node-cordoned win-1", /cordoned on purpose/]],
    },
    "closed by an upgrade that was not finished": {
      nodes: [node("cp"), node("win-1", "True", closed, upgrading)],
      found: [["node-cordoned win-1", /upgrade was not finished/]],
    },
    "with a full disk": {
      nodes: [node("cp"), node("win-1", "True", {}, {}, fullDisk)],
      found: [["node-pressure win-1", /^DiskPressure: no room$/]],
    },
    "with a pod that is not ready for long": {
      pods: [pod("win-1", notReady(longAgo))],
      found: [["pod-not-ready kube-system/p", /more than 3 min: containers not ready/]],
    },
    "with a pod that waits for its image": {
      pods: [pod("win-1", { ...notReady(longAgo), containerStatuses: [pulling] })],
      found: [["pod-not-ready kube-system/p", /: ImagePullBackOff$/]],
    },
    "with a pod that no node takes": {
      pods: [pod(undefined, { phase: "Pending" })],
      found: [["pod-not-ready kube-system/p", /: Pending$/]],
    },
    "with a pod that was made just now": {
      pods: [pod(undefined, { phase: "Pending" }, { creationTimestamp: justNow })],
    },
    "that are not Ready tell enough of their pods": {
      nodes: silentWindows,
      pods: [pod("win-1", notReady(longAgo))],
      found: [["node-not-ready win-1", /not Ready/, runJoin]],
    },
  };
  const checked = (
    nodes: unknown,
    pods: readonly object[] = [],
    change: Partial<KnownNodes> = {},
  ) => checkNodes({ nodes, pods: { items: pods }, leases }, { ...known, ...change }, now);
  eachCase("%s", cases, ({ nodes = fine, pods, found = [] }) =>
    assertFound(checked({ items: nodes }, pods), found),
  );

  it("are not checked by something else", () => {
    for (const bad of [undefined, {}, { items: [{}] }, "<html>"]) {
      assert.throws(() => checked(bad), JSON.stringify(bad));
    }
  });

  it("are reported where their kubelet is silent, though still shown as Ready, unless their clock is wrong", () => {
    const answer = {
      nodes: { items: fine },
      pods: { items: [] },
      leases: { items: [lease("win-1", "2027-03-01T11:58:55Z")] },
    };
    assertFound(checkNodes(answer, known, now), [
      ["node-silent win-1", /^its kubelet has sent no heartbeat for 65 s$/, runJoin],
    ]);
    assert.deepEqual(checkNodes(answer, { ...known, wrongClocks: ["win-1"] }, now), []);
  });
});
