import assert from "node:assert/strict";
import type { Details } from "../../../verify/cluster/snapshot.ts";
import { policiesOn, selects, whyFailed, whyNotReady } from "../../../verify/diagnose/diagnose.ts";
import { checkLookup, checkPrinted } from "../../../verify/run/probe.ts";
import type { FailureKind, ProbeFailure } from "../../../verify/run/probe.ts";
import type { AwaitedPod } from "../../../verify/run/plan.ts";
import { eachCase } from "../each-case.ts";
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

describe("why a connection failed", () => {
  type Failed = readonly [id: string, ProbeFailure, Partial<Details>];
  const cases: Readonly<Record<string, readonly [Failed, RegExp]>> = {
    "a node on the way that is not Ready": [
      ["linux-pod-to-linux-pod-other-node", lost, { nodes: notReady }],
      /^the node linux-b is not Ready: Kubelet stopped posting node status\.$/,
    ],
    "the node whose NodePort it is": [
      [
        "outside-to-linux-service-linux-node",
        lost,
        { nodes: [{ ...linuxNode, trouble: "down" }, otherLinuxNode] },
      ],
      /^the node linux-a is not Ready: down$/,
    ],
    "a Service whose selector fits nothing": [
      [
        "linux-pod-to-linux-service",
        refused,
        { slices: [slice("linux", [])], services: [service("linux", "nothing")] },
      ],
      /^the Service linux has no endpoints: no pod has its labels kindows\.dev\/verify=nothing$/,
    ],
    "a Service whose pods are not Ready, also where it is asked by name": [
      ["linux-pod-to-linux-service-name", unnamed, { slices: [] }],
      /^the Service linux has no endpoints: none of its 2 pods is Ready$/,
    ],
    "a Service that was deleted": [
      ["linux-pod-to-linux-service", refused, { services: [] }],
      /^the Service linux no longer exists$/,
    ],
    "DNS without a server": [
      ["linux-pod-to-linux-service-name", unnamed, { dnsSlices: [], systemPods: [] }],
      /^the name linux is not resolved: cluster DNS .* no ready endpoint: there is no CoreDNS pod$/,
    ],
    "DNS whose server cannot start": [
      ["linux-pod-to-linux-service-name", unnamed, crashed],
      /has no ready endpoint: coredns-1: CrashLoopBackOff on linux-a: back-off$/,
    ],
    "DNS that does not answer though it is there": [
      ["linux-pod-to-linux-pod-name", unnamed, {}],
      /is not resolved, though cluster DNS has 1 ready endpoint: its answers get lost/,
    ],
    "a policy on the pod it leads to": [
      ["linux-pod-to-linux-pod-same-node", lost, denied],
      /^the NetworkPolicy deny-all limits what comes in to linux-server-linux-a/,
    ],
    "kube-proxy on the node it begins at": [
      [
        "linux-pod-to-linux-service",
        refused,
        { systemPods: [systemPod("kube-proxy-a", "kube-proxy", "linux-a", false)] },
      ],
      /^kube-proxy does not serve: kube-proxy-a on linux-a is Pending$/,
    ],
    "packets that get lost": [
      ["linux-pod-to-linux-pod-other-node", lost, {}],
      /^no answer within 4 s from linux-client-linux-a on linux-a to http:\/\/10\.244\.1\.3:8080\/hostname: packets/,
    ],
    "nothing that listens": [
      ["outside-to-linux-host-port", refused, {}],
      /^refused from this host to http:\/\/192\.168\.150\.128:28080\/hostname/,
    ],
    "an answer of somebody else": [
      ["linux-pod-to-linux-service", { kind: "answer", text: '"x" answered instead of y' }, denied],
      /^the wrong answer from .*: "x" answered instead of y$/,
    ],
    "a command that could not be run": [
      ["linux-pod-to-host", { kind: "exec", text: "error: unable to upgrade connection" }, denied],
      /^the command could not be run .*: error: unable to upgrade connection$/,
    ],
    "never something that is not on its way": [
      [
        "linux-pod-to-host",
        lost,
        {
          nodes: notReady,
          slices: [],
          dnsSlices: [],
          systemPods: [],
          pods: healthy.pods.filter(({ metadata }) => !metadata?.name?.includes("server")),
        },
      ],
      /^no answer within 4 s from/,
    ],
  };
  eachCase("is %s", cases, ([[id, failure, changes], expected]) =>
    assert.match(whyFailed(probesOf(id)[0], failure, { ...healthy, ...changes }), expected),
  );
});

describe("why a pod is not Ready", () => {
  const [client] = healthy.pods;
  assert.ok(client);
  const pending = (condition?: object): AwaitedPod["pod"] => ({
    ...client,
    ...(condition && { spec: { containers: [] } }),
    status: { phase: "Pending", ...(condition && { conditions: [condition as never] }) },
  });
  const unscheduled = {
    type: "PodScheduled",
    status: "False",
    message: "0/2 nodes are available: 2 Insufficient memory.",
  };
  const event = (reason: string, message: string, time: number): object => ({
    ...warning("Pod", "linux-client-linux-a", reason, message),
    lastTimestamp: new Date(time),
  });
  const cases: Readonly<Record<string, readonly [AwaitedPod["pod"], object, RegExp]>> = {
    "its image": [
      waitingPod(client, "ImagePullBackOff", "Back-off pulling image: no such host"),
      {},
      /^linux-client-linux-a: the image registry\.example\/agnhost:1 cannot be pulled on linux-a: Back-off pulling image: no such host$/,
    ],
    "no room": [
      pending(unscheduled),
      {},
      /^linux-client-linux-a is not scheduled: 0\/2 nodes are available: 2 Insufficient memory\.$/,
    ],
    "what an event tells, the latest one": [
      pending(),
      {
        events: [
          event("FailedMount", "old", 1000),
          event("FailedCreatePodSandBox", "no pod network", 2000),
          warning("Pod", "another", "FailedMount", "not this one"),
        ],
      },
      /^linux-client-linux-a on linux-a: FailedCreatePodSandBox: no pod network$/,
    ],
    "its node, before all else": [
      waitingPod(client, "ImagePullBackOff", "no such host"),
      { nodes: [{ ...linuxNode, trouble: "container runtime is down" }] },
      /^the node linux-a is not Ready: container runtime is down$/,
    ],
    "what its DaemonSet could not make": [
      undefined,
      { events: [warning("DaemonSet", "linux-client", "FailedCreate", "exceeded quota")] },
      /^FailedCreate: exceeded quota$/,
    ],
    "nothing known": [undefined, {}, /^the DaemonSet linux-client has no pod on linux-a$/],
  };
  eachCase("is %s", cases, ([pod, changes, expected]) => {
    const role = { os: "linux", part: "client" } as const;
    const awaited: AwaitedPod = { role, node: "linux-a", ...(pod && { pod }) };
    assert.match(whyNotReady([awaited], { ...healthy, ...changes }), expected);
  });
});

describe("what curl's end says", () => {
  const [asked] = probesOf("linux-pod-to-linux-service-name");
  type End = readonly [exitCode: number | undefined, stderr: string, ProbeFailure["kind"]];
  const refusal = "* connect to 10.96.1.1 port 80 failed: Connection refused";
  const cases: Readonly<Record<string, End>> = {
    "no name": [6, "curl: (6) Could not resolve host: x", "name"],
    "no name in time": [28, "curl: (28) Resolving timed out after 4000 milliseconds", "name"],
    "no answer in time": [28, "curl: (28) Connection timed out after 4001 milliseconds", "lost"],
    "a refusal, which only its verbose words tell": [
      7,
      `${refusal}\ncurl: (7) Couldn't connect to server`,
      "refused",
    ],
    "no route": [7, "* connect to 10.1.1.1 port 80 failed: No route to host", "unreachable"],
    "a page that is an error": [22, "curl: (22) The requested URL returned error: 404", "answer"],
    "kubectl's own failure": [1, "error: unable to upgrade connection: pod not found", "exec"],
    "no curl in the image": [127, 'exec: "curl": executable file not found', "exec"],
    "the end of its time": [undefined, "no end within 26 s", "exec"],
    "anything else": [56, "curl: (56) Recv failure: Connection reset by peer", "other"],
  };
  eachCase("is %s", cases, ([exitCode, stderr, kind]) => {
    const failure = checkPrinted(asked, { exitCode, stdout: "", stderr });
    assert.equal(failure?.kind, kind);
    assert.ok(failure.text.length > 0);
  });
});

describe("a question to a DNS server", () => {
  const name = "linux.kindows-verify.svc.cluster.local";
  const [lookup] = probesOf("windows-node-to-cluster-dns", onHosts);

  const server = "Server:  UnKnown\r\nAddress:  10.96.0.10\r\n\r\n";
  const answer = `${server}Name:    ${name}\r\nAddress:  10.96.1.1\r\n\r\n`;
  const late = "DNS request timed out.\r\n    timeout was 4 seconds.\r\n";
  type Printed = readonly [exitCode: number | undefined, stdout: string, stderr: string];
  const ends: Readonly<Record<string, readonly [Printed, FailureKind | undefined]>> = {
    "the right answer": [[0, answer, ""], undefined],
    "another address": [[0, answer.replace("10.96.1.1", "10.96.1.9"), ""], "answer"],
    "no such name, by Windows": [
      [0, server, `*** UnKnown can't find ${name}: Non-existent domain`],
      "name",
    ],
    "no such name, by BIND": [[1, `** server can't find ${name}: NXDOMAIN\n`, ""], "name"],
    "no answer, by Windows, which ends well": [
      [0, `${late}${server}`, "*** Request to UnKnown timed-out"],
      "lost",
    ],
    "no answer, by BIND": [
      [1, ";; connection timed out; no servers could be reached\n", ""],
      "lost",
    ],
    "a refusal": [
      [1, ";; communications error to 10.96.0.10#53: connection refused\n", ""],
      "refused",
    ],
    "no route": [[1, "", "*** UnKnown can't be asked: network is unreachable"], "unreachable"],
    "no such program": [[127, "", "error: exec failed: nslookup: not found"], "exec"],
    "a pod that is gone": [[1, "", 'Error from server (NotFound): pods "x" not found'], "exec"],
    "no end": [[undefined, server, "no end within 44 s"], "exec"],
  };
  eachCase("that ends with %s", ends, ([[exitCode, stdout, stderr], kind]) => {
    const failure = checkLookup(lookup, { exitCode, stdout, stderr });
    assert.equal(failure?.kind, kind);
    if (failure) assert.notEqual(failure.text, "");
  });

  it("that fails without a server to answer it is put down to that", () => {
    assert.match(
      whyFailed(lookup, lost, { ...onHosts, ...crashed }),
      new RegExp(`^the name ${name} is not resolved: cluster DNS .* CrashLoopBackOff`),
    );
    const reason = `no answer within 4 s from windows-node-win-1 on win-1 to dns://10.96.0.10/${name}: packets get lost on the way`;
    assert.equal(whyFailed(lookup, lost, { ...onHosts, dnsSlices: healthy.dnsSlices }), reason);
  });
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
