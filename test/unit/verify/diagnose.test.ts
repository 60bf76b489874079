import assert from "node:assert/strict";
import type { Details } from "../../../verify/cluster/snapshot.ts";
import { whyFailed, whyNotReady } from "../../../verify/diagnose/diagnose.ts";
import { policiesOn, selects } from "../../../verify/diagnose/policies-on.ts";
import { failureOf } from "../../../verify/run/probe.ts";
import type { ProbeFailure } from "../../../verify/run/probe.ts";
import type { AwaitedPod } from "../../../verify/run/plan.ts";
import { assertSaid } from "../controlplane/golden.ts";
import {
  denyAll,
  healthy,
  onHosts,
  otherLinuxNode,
  linuxNode,
  probesOf,
  service,
  slice,
  systemPod,
  waitingPod,
  warning,
} from "./cluster-states.ts";

const here = new URL(import.meta.url);
const lost: ProbeFailure = { kind: "lost", text: "curl: (28) timed out" };
const refused: ProbeFailure = { kind: "refused", text: "Connection refused" };
const unnamed: ProbeFailure = { kind: "name", text: "Could not resolve host" };
const stopped = "Kubelet stopped posting node status.";
const notReady = [linuxNode, { ...otherLinuxNode, trouble: stopped }];
const coreDns = systemPod("coredns-1", "kube-dns", "linux-a", false);
/** Cluster DNS whose server cannot start. */
const crashed = {
  dnsSlices: [slice("kube-dns", [])],
  systemPods: [waitingPod(coreDns, "CrashLoopBackOff", "back-off")],
};
const denied = { policies: [denyAll("deny-all")] };
const [otherPod, toHost] = ["linux-pod-to-linux-pod-other-node", "linux-pod-to-host"];
const toDns = "windows-node-to-cluster-dns";

describe("why a connection failed", () => {
  type Failed = readonly [id: string, ProbeFailure, Partial<Details>];
  const byName = "linux-pod-to-linux-service-name";
  const toService = "linux-pod-to-linux-service";
  const down = [{ ...linuxNode, trouble: "down" }, otherLinuxNode];
  const unready = [systemPod("kube-proxy-a", "kube-proxy", "linux-a", false)];
  const unselected = { slices: [slice("linux", [])], services: [service("linux", "nothing")] };
  const elsewhere = {
    nodes: notReady,
    slices: [],
    dnsSlices: [],
    systemPods: [],
    pods: healthy.pods.filter(({ metadata }) => !metadata?.name?.includes("server")),
  };
  const cases: Readonly<Record<string, Failed>> = {
    "a node on the way that is not Ready": [otherPod, lost, { nodes: notReady }],
    "the node whose NodePort it is": ["outside-to-linux-service-linux-node", lost, { nodes: down }],
    "a Service whose selector fits nothing": [toService, refused, unselected],
    "a Service whose pods are not Ready, also where it is asked by name": [
      byName,
      unnamed,
      { slices: [] },
    ],
    "a Service that was deleted": [toService, refused, { services: [] }],
    "DNS without a server": [byName, unnamed, { dnsSlices: [], systemPods: [] }],
    "DNS whose server cannot start": [byName, unnamed, crashed],
    "DNS that does not answer though it is there": ["linux-pod-to-linux-pod-name", unnamed, {}],
    "a policy on the pod it leads to": ["linux-pod-to-linux-pod-same-node", lost, denied],
    "kube-proxy on the node it begins at": [toService, refused, { systemPods: unready }],
    "packets that get lost": [otherPod, lost, {}],
    "nothing that listens": ["outside-to-linux-host-port", refused, {}],
    "an answer of somebody else": [toService, { kind: "answer", text: "x instead of y" }, denied],
    "a command that could not be run": [toHost, { kind: "exec", text: "error: no shell" }, denied],
    "never something that is not on its way": [toHost, lost, elsewhere],
    "a DNS server that cannot start": [toDns, lost, { ...onHosts, ...crashed }],
    "a DNS server's answer that gets lost": [toDns, lost, onHosts],
  };
  it("is put down to what is wrong on its way", () =>
    assertSaid(here, "connections.txt", cases, ([id, failure, changes]) => {
      const state = { ...healthy, ...changes };
      return whyFailed(probesOf(id, id === toDns ? onHosts : healthy)[0], failure, state);
    }));
});

describe("why a pod is not Ready", () => {
  const [client] = healthy.pods;
  assert.ok(client);
  const pending = (condition?: object): AwaitedPod["pod"] => ({
    ...client,
    ...(condition && { spec: { containers: [] } }),
    status: { phase: "Pending", ...(condition && { conditions: [condition as never] }) },
  });
  const message = "0/2 nodes are available: 2 Insufficient memory.";
  const unscheduled = { type: "PodScheduled", status: "False", message };
  const event = (reason: string, message: string, time: number): object => ({
    ...warning("Pod", "linux-client-linux-a", reason, message),
    lastTimestamp: new Date(time),
  });
  const events = [
    event("FailedMount", "old", 1000),
    event("FailedCreatePodSandBox", "no pod network", 2000),
    warning("Pod", "another", "FailedMount", "not this one"),
  ];
  const unmade = [warning("DaemonSet", "linux-client", "FailedCreate", "exceeded quota")];
  const unpulled = waitingPod(client, "ImagePullBackOff", "Back-off pulling image: no such host");
  const cases: Readonly<Record<string, readonly [AwaitedPod["pod"], object]>> = {
    "its image": [unpulled, {}],
    "no room": [pending(unscheduled), {}],
    "what an event tells, the latest one": [pending(), { events }],
    "its node, before all else": [unpulled, { nodes: [{ ...linuxNode, trouble: "no runtime" }] }],
    "what its DaemonSet could not make": [undefined, { events: unmade }],
    "nothing known": [undefined, {}],
  };
  it("is put down to what stands against it", () =>
    assertSaid(here, "pods.txt", cases, ([pod, changes]) => {
      const role = { os: "linux", part: "client" } as const;
      const awaited: AwaitedPod = { role, node: "linux-a", ...(pod && { pod }) };
      return whyNotReady([awaited], { ...healthy, ...changes });
    }));
});

type End = readonly [exitCode: number | undefined, stderr: string, stdout?: string];

describe("how a request ended", () => {
  const refusal = "* connect to 10.96.1.1 port 80 failed: Connection refused";
  const requests: Readonly<Record<string, End>> = {
    "no name": [6, "curl: (6) Could not resolve host: x"],
    "no name in time": [28, "curl: (28) Resolving timed out after 4000 milliseconds"],
    "no answer in time": [28, "curl: (28) Connection timed out after 4001 milliseconds"],
    "no answer in time to one of its requests": [
      0,
      "curl: (28) Connection timed out after 4001 milliseconds\n* Connected to x",
      "server".repeat(3),
    ],
    "a refusal, which only its verbose words tell": [
      7,
      `${refusal}\ncurl: (7) Couldn't connect to server`,
    ],
    "no route": [7, "* connect to 10.1.1.1 port 80 failed: No route to host"],
    "a page that is an error": [22, "curl: (22) The requested URL returned error: 404"],
    "kubectl's own failure": [1, "error: unable to upgrade connection: pod not found"],
    "no curl in the image": [127, 'exec: "curl": executable file not found'],
    "the end of its time": [undefined, "no end within 26 s"],
    "anything else": [56, "curl: (56) Recv failure: Connection reset by peer"],
  };
  const name = "linux.kindows-verify.svc.cluster.local";
  const server = "Server:  UnKnown\r\nAddress:  10.96.0.10\r\n\r\n";
  const answer = `${server}Name:    ${name}\r\nAddress:  10.96.1.1\r\n\r\n`;
  const late = "DNS request timed out.\r\n    timeout was 4 seconds.\r\n";
  const lookups: Readonly<Record<string, End>> = {
    "the right answer": [0, "", answer],
    "another address": [0, "", answer.replace("10.96.1.1", "10.96.1.9")],
    "no such name, by Windows": [0, `*** UnKnown can't find ${name}: Non-existent domain`, server],
    "no such name, by BIND": [1, "", `** server can't find ${name}: NXDOMAIN\n`],
    "no answer, by Windows, which ends well": [
      0,
      "*** Request to UnKnown timed-out",
      `${late}${server}`,
    ],
    "no answer, by BIND": [1, "", ";; connection timed out; no servers could be reached\n"],
    "a refusal": [1, "", ";; communications error to 10.96.0.10#53: connection refused\n"],
    "no route": [1, "*** UnKnown can't be asked: network is unreachable"],
    "no such program": [127, "error: exec failed: nslookup: not found"],
    "a pod that is gone": [1, 'Error from server (NotFound): pods "x" not found'],
    "no end": [undefined, "no end within 44 s", server],
  };
  const ends = (id: string, state: Details) => {
    const [probe] = probesOf(id, state);
    return ([exitCode, stderr, stdout = ""]: End): string => {
      const failure = failureOf(probe, { exitCode, stdout, stderr });
      return failure === undefined ? "well" : `${failure.kind}, ${failure.text}`;
    };
  };

  it("is told by curl's exit code and words", () => {
    const byName = "linux-pod-to-linux-service-name";
    return assertSaid(here, "requests.txt", requests, ends(byName, healthy));
  });

  it("is told by the words of nslookup, whichever it is", () =>
    assertSaid(here, "lookups.txt", lookups, ends(toDns, onHosts)));
});

describe("a selector", () => {
  const labels = { app: "a", tier: "x" };
  const expression = (key: string, operator: string, values?: string[]): object => ({
    matchExpressions: [{ key, operator, ...(values && { values }) }],
  });
  for (const [selector, expected] of [
    [{}, true],
    [{ matchLabels: { app: "a" } }, true],
    [{ matchLabels: { app: "b" } }, false],
    [expression("app", "In", ["a", "b"]), true],
    [expression("app", "NotIn", ["a"]), false],
    [expression("other", "NotIn", ["a"]), true],
    [expression("tier", "Exists"), true],
    [expression("tier", "DoesNotExist"), false],
  ] as const) {
    it(`${JSON.stringify(selector)} ${expected ? "fits" : "does not fit"}`, () =>
      assert.equal(selects(selector, labels), expected));
  }

  it("of a policy without a list of directions is about egress only where it has rules for it", () => {
    const [pod] = healthy.pods;
    assert.ok(pod);
    const plain = { metadata: { name: "plain" }, spec: { podSelector: {} } };
    const both = { metadata: { name: "both" }, spec: { podSelector: {}, egress: [{}] } };
    assert.deepEqual(policiesOn(pod, "Egress", [plain, both]), ["both"]);
    assert.deepEqual(policiesOn(pod, "Ingress", [plain, both]), ["plain", "both"]);
    const onNode = { ...pod, spec: { hostNetwork: true, containers: [] } };
    assert.deepEqual(policiesOn(onNode, "Ingress", [plain, both]), []);
  });
});
