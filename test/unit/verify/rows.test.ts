import assert from "node:assert/strict";

import type { V1LabelSelector, V1Node, V1Pod } from "@kubernetes/client-node";

import { Slots } from "../../../toolchain/slots.ts";
import {
  nodeFact,
  runsPodNetwork,
  type Facts,
  type NodeFact,
} from "../../../verify/cluster/facts.ts";
import type { Details } from "../../../verify/cluster/snapshot.ts";
import { selects } from "../../../verify/diagnose/policies-on.ts";
import { columnGroups, columnOf } from "../../../verify/report/matrix.ts";
import type { RowResult } from "../../../verify/result.ts";
import { pathRows } from "../../../verify/rows/paths.ts";
import { policyRows } from "../../../verify/rows/policies.ts";
import { rowTitle, sourceName, type Row } from "../../../verify/rows/row.ts";
import { needsText, whyNot } from "../../../verify/rows/runnable.ts";
import { allRows, selectRows } from "../../../verify/rows/select.ts";
import { nodePairs } from "../../../verify/run/plan.ts";
import { probeWords } from "../../../verify/run/probe.ts";
import type { Printed, Probe, ProbeFailure, ShellCommand } from "../../../verify/run/probe.ts";
import { ClusterView } from "../../../verify/run/row-tools.ts";
import { rowSeconds, runRows, waitingText } from "../../../verify/run/run-rows.ts";
import { assertGolden, assertSaid } from "../controlplane/golden.ts";
import {
  fullFacts,
  healthy,
  linuxNode,
  onHosts,
  planOf,
  probesOf,
  rolePod,
  waitingPod,
  windowsNode,
} from "./cluster-states.ts";
import { networkPolicies } from "../../../verify/rows/policy-cases.ts";

const here = new URL(import.meta.url);

describe("pairs of nodes", () => {
  for (const [what, from, to, relation, expected] of [
    ["each with itself", "ab", "ab", "same", ["aa", "bb"]],
    ["each with the next", "abc", "abc", "other", ["ab", "bc", "ca"]],
    ["one node has no other", "a", "a", "other", []],
    ["the next, or itself where there is none", "a", "a", undefined, ["aa"]],
    ["every first to some second", "abc", "x", undefined, ["ax", "bx", "cx"]],
    ["some first to every second", "a", "xy", undefined, ["ax", "ay"]],
    ["none where there is nothing to lead to", "a", "", undefined, []],
  ] as const) {
    it(`are ${what}`, () => {
      const pairs = nodePairs([...from], [...to], relation);
      const shown = pairs.map(([one, other]) => one + other);
      assert.deepEqual(shown, expected);
    });
  }
});

describe("the probes of a row", () => {
  it("wait for every pod they need, and for no other", () => {
    const name = "linux-server-linux-b";
    const pods = healthy.pods.map((pod) =>
      pod.metadata?.name === name ? waitingPod(pod, "ContainerCreating", "") : pod,
    );
    const made = planOf("linux-pod-to-linux-service", { ...healthy, pods });
    assert.ok("awaited" in made);
    const awaited = made.awaited.map(({ node, pod }) => [node, pod?.metadata?.name]);
    assert.deepEqual(awaited, [["linux-b", name]]);
    assert.ok("ready" in planOf("linux-pod-to-host", { ...healthy, pods }));
  });

  it("wait for a pod that is not there, or is being deleted", () => {
    const [first, ...rest] = healthy.pods;
    assert.ok(first);
    const leaving = { ...first, metadata: { ...first.metadata, deletionTimestamp: new Date() } };
    for (const pods of [rest, [leaving, ...rest]]) {
      const made = planOf("linux-pod-to-host", { ...healthy, pods });
      assert.deepEqual("awaited" in made && made.awaited.map(({ node }) => node), ["linux-a"]);
    }
  });
});

describe("an answer", () => {
  const [a, b] = ["linux-server-linux-a", "linux-server-linux-b"];
  const [pod, service] = ["linux-pod-to-linux-pod-other-node", "linux-pod-to-linux-service"];
  const [onNode, onNodes] = ["linux-pod-to-windows-host-pod", "linux-pod-to-windows-host-service"];
  const [host, dns] = ["linux-pod-to-host", "linux-node-to-cluster-dns"];
  const name = "linux.kindows-verify.svc.cluster.local";
  const server = "Server:  UnKnown\nAddress:  10.96.0.10\n\n";
  const bind = `Server:\t\t10.96.0.10\nAddress:\t10.96.0.10#53\n\nName:\t${name}\nAddress: 10.96.1.1\n`;
  const two = `${server}Name:    ${name}\nAddresses:  10.96.1.1\n          10.96.1.2\n`;
  const cases: Readonly<Record<string, readonly [id: string, answer: string]>> = {
    "of the very pod that was asked": [pod, b],
    "of another pod": [pod, a],
    "that is empty": [pod, ""],
    "of a Service's pods, each time": [service, `${b}${a}${b}${b}`],
    "of a Service that misses one": [service, b.repeat(3)],
    "of a Service that has another's": [service, `${b.repeat(3)}other`],
    "of a server on its node's network": [onNode, "win-1"],
    "of one with its node's name in capitals": [onNode, "WIN-1"],
    "of one on another node": [onNode, "linux-a"],
    "of a Service's servers on nodes": [onNodes, "WIN-1".repeat(4)],
    "of those that miss one": [onNodes, "WIN-1".repeat(3)],
    "of this host, which saw a node": [host, "kindows verify abc sees 192.168.150.128"],
    "of this host, which saw a pod": [host, "kindows verify abc sees 10.244.0.2"],
    "of a proxy": [host, "<html>login</html>"],
    "of DNS to Windows": [dns, `${server}Name:    ${name}\nAddress:  10.96.1.1\n\n`],
    "of DNS to Linux": [dns, bind],
    "of DNS with several addresses": [dns, two],
    "of DNS with another address": [dns, `${server}Name:    ${name}\nAddress:  10.96.1.7\n`],
    "of DNS with its own address only": [dns, server.replace("10.96.0.10", "10.96.1.1")],
    "of DNS with nothing": [dns, ""],
  };
  it("is accepted, or refused with a reason", () =>
    assertSaid(here, "answers.txt", cases, ([id, answer]) => {
      const [{ check }] = probesOf(id, /windows/.test(id) ? onHosts : healthy);
      return check(answer) ?? "right";
    }));

  it("of a Service on nodes comes from its pods", () => {
    const [{ targetPods }] = probesOf(onNodes, onHosts);
    assert.deepEqual(targetPods, ["windows-host-server-win-1"]);
  });

  it("of cluster DNS is asked for by nslookup, of that server and with a name that is whole", () => {
    const [probe] = probesOf("windows-node-to-cluster-dns", onHosts);
    const words = `nslookup -timeout=4 -type=A ${name}. 10.96.0.10`;
    assert.equal(probeWords(probe).join(" "), words);
  });

  it("is asked for over a new connection each time, and by no proxy", () => {
    const words = probeWords({ url: "http://x/", requests: 3, requestSeconds: 4 });
    assert.deepEqual(words.slice(-3), ["http://x/", "http://x/", "http://x/"]);
    assert.match(words.join(" "), /--noproxy \* --max-time 4 --header Connection: close/);
  });
});

/** Clusters that lack something. */
const lacking: Readonly<Record<string, Facts>> = {
  "a rehearsal": {
    nodes: [linuxNode, windowsNode],
    rehearsal: true,
    noInternet: "no internet",
    noWindowsPodNetwork: "no pod network",
    noNetworkPolicies: "no enforcement",
  },
  "a rehearsal with routes": {
    nodes: [linuxNode, windowsNode],
    rehearsal: true,
    windowsNodeRoutes: true,
  },
  "a cluster without a pod network on Windows": {
    ...fullFacts,
    noWindowsPodNetwork: "no pod network",
  },
  "a cluster without hostPort on Windows": { ...fullFacts, noWindowsHostPorts: "no hostPort" },
  "a cluster without enforcement": { ...fullFacts, noNetworkPolicies: "no enforcement" },
  "a cluster of another build of Windows": {
    nodes: [linuxNode, { ...windowsNode, windowsBuild: "10.0.29999" }],
    rehearsal: false,
  },
};

/** What a row needs, why it cannot be run where that is missing, and what is asked from where, and how often. */
function described(row: Row): readonly string[] {
  const reasons = Object.entries(lacking).flatMap(([where, facts]) => {
    const reason = whyNot(row, facts);
    return reason === undefined ? [] : [`  not in ${where}: ${reason}`];
  });
  const plan = row.kind === "path" && planOf(row.id, /windows/.test(row.id) ? onHosts : healthy);
  const probes = plan && "ready" in plan ? plan.ready : [];
  const asked = probes.map(({ origin, url, requests }) => {
    const from = origin === "outside" ? "this host" : origin.pod;
    return `  ${from} > ${url}${requests > 1 ? ` x${requests}` : ""}`;
  });
  return [`${row.id}: ${rowTitle(row)}`, `  needs ${needsText(row)}`, ...reasons, ...asked];
}

describe("a pod network's own programs on rehearsed nodes", () => {
  const annotation = "projectcalico.org/IPv4Address";
  const node = (operatingSystem: string, annotations?: Record<string, string>): NodeFact =>
    nodeFact({ metadata: { annotations }, status: { nodeInfo: { operatingSystem } } } as V1Node);
  const [linux, ready, joined] = [
    node("linux", { [annotation]: "192.168.1.2" }),
    node("windows", { [annotation]: "192.168.1.3" }),
    node("windows"),
  ];
  for (const [what, nodes, written, expected] of [
    ["a cluster without Windows nodes", [linux], annotation, false],
    ["a Windows node that has it", [linux, ready], annotation, true],
    ["one of two that has it", [ready, joined], annotation, false],
    ["a pod network whose programs write none", [ready], undefined, false],
  ] as const) {
    it(`${what}: ${expected ? "run" : "do not run"}`, () =>
      assert.equal(runsPodNetwork({ nodes }, written), expected));
  }
});

describe("the rows", () => {
  it("are these", () =>
    assertGolden(here, "rows.txt", `${allRows.flatMap(described).join("\n")}\n`));

  it("can all be run in a cluster that has everything", () =>
    assert.deepEqual(
      allRows.filter((row) => whyNot(row, fullFacts) !== undefined),
      [],
    ));

  it("have an id and a title of their own each", () => {
    const ids = allRows.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const titles = allRows.map(rowTitle);
    assert.equal(new Set(titles).size, titles.length);
    for (const id of ids) assert.match(id, /^[a-z]+(-[a-z]+)+$/);
  });

  it("have a place of their own in the matrix each", () => {
    const known = columnGroups.flatMap(({ columns }) => columns.map(({ key }) => key));
    const all = [...pathRows, ...policyRows];
    const places = all.map((row) => `${sourceName(row.from)} / ${columnOf(row)}`);
    assert.equal(new Set(places).size, places.length);
    for (const row of all) assert.ok(known.includes(columnOf(row)), row.id);
  });
});

describe("choosing rows", () => {
  it("takes all where none is named", () => assert.equal(selectRows([]).length, allRows.length));

  it("takes ids and patterns, in the table's order", () => {
    const chosen = selectRows(["mixed-shop", "*-to-internet"]).map(({ id }) => id);
    assert.deepEqual(chosen, [
      "linux-pod-to-internet",
      "windows-pod-to-internet",
      "windows-node-to-internet",
      "mixed-shop",
    ]);
  });

  it("takes the control of a NetworkPolicy's row too", () => {
    const [control, row, ...others] = selectRows(["windows-policy-port"]).map(({ id }) => id);
    assert.deepEqual(
      [control, row, others],
      ["windows-policy-port-control", "windows-policy-port", []],
    );
  });

  it("tells every name that no row has, and the nearest one", () =>
    assert.throws(
      () => selectRows(["linux-pod-to-hosts", "mixed-*", "shop"]),
      /"linux-pod-to-hosts" \(did you mean linux-pod-to-host\?\), "shop"/,
    ));
});

interface Fake {
  readonly facts?: Partial<Facts>;
  readonly details?: Details | Error;
  readonly attempt?: (probe: Probe) => ProbeFailure | undefined;
  readonly run?: (command: ShellCommand) => Printed;
  readonly isolate?: () => Promise<void>;
  readonly summary?: unknown;
  readonly aborted?: boolean;
  readonly rehearsal?: boolean;
  /** For each row. Everything is tried once, however short it is. */
  readonly seconds?: number;
}

/** Runs rows against a cluster of the test's own. */
async function results(
  patterns: readonly string[],
  fake: Fake = {},
): Promise<readonly RowResult[]> {
  const { details: state = healthy, seconds: timeoutSeconds = 3600 } = fake;
  const details = (): Promise<Details> =>
    state instanceof Error ? Promise.reject(state) : Promise.resolve(state);
  return runRows(
    selectRows(patterns),
    { ...fullFacts, rehearsal: fake.rehearsal === true, ...fake.facts },
    {
      view: new ClusterView(details, 10),
      details,
      attempt: (probe) => Promise.resolve(fake.attempt?.(probe)),
      tried: ({ url }) => `curl ${url}`,
      inPod: (pod, container, words) => ({ program: "run", args: [pod, container, ...words] }),
      run: (command) =>
        Promise.resolve(fake.run?.(command) ?? { exitCode: 1, stdout: "", stderr: "no" }),
      isolate: fake.isolate ?? (() => assert.fail("no policies are needed")),
      get: () => Promise.resolve(fake.summary),
      outside: {
        host: { url: "http://192.168.150.1:1/", greeting: "x" },
        internet: { url: "http://www.example.test/", text: "x" },
      },
      slots: new Slots(2),
      signal: fake.aborted === true ? AbortSignal.abort() : new AbortController().signal,
    },
    { timeoutSeconds, say: () => undefined },
  );
}

/** How one row comes out. */
async function outcomeOf([id, fake]: readonly [id: string, Fake]): Promise<readonly string[]> {
  const [{ status, reason, seen, tried, ...rest } = assert.fail()] = await results([id], fake);
  assert.equal(rest.seconds === 0, status === "not-runnable");
  return [status, reason, seen, ...tried].filter((text) => text !== "");
}

const lost = (): ProbeFailure => ({ kind: "lost", text: "curl: (28)" });
const seconds = 0.02;

describe("running rows", () => {
  const [otherNode, toHost] = ["linux-pod-to-linux-pod-other-node", "linux-pod-to-host"];
  const [toPod, fromNode] = ["linux-pod-to-windows-host-pod", "windows-node-to-host"];
  const unpulled = healthy.pods.map((pod) =>
    waitingPod(pod, "ErrImagePull", "dial tcp: lookup registry.example: no such host"),
  );
  const once: Fake["attempt"] = ({ url }) => (url.includes("10.244.0.3") ? lost() : undefined);
  const there: Fake = { details: onHosts, seconds };
  const cases: Readonly<Record<string, readonly [id: string, Fake]>> = {
    "all connections work": [otherNode, {}],
    "one connection of several fails": [otherNode, { attempt: once, seconds }],
    "pods do not come": [toHost, { details: { ...healthy, pods: unpulled }, seconds }],
    "the API server does not answer": [toHost, { details: new Error("ECONNREFUSED"), seconds }],
    "there is nothing to try": [otherNode, { details: { ...healthy, nodes: [linuxNode] } }],
    "it cannot be run": ["windows-pod-to-linux-pod", { rehearsal: true }],
    "it is interrupted": [toHost, { aborted: true, attempt: lost }],
    "Linux did it in a rehearsal": ["linux-pod-to-linux-service", { rehearsal: true }],
    "a HostProcess container is reached under Wine": [toPod, { ...there, rehearsal: true }],
    "a HostProcess container is reached on Windows": [toPod, there],
    "a HostProcess container is not reached": [toPod, { ...there, rehearsal: true, attempt: lost }],
    "a HostProcess container did it under Wine": [fromNode, { ...there, rehearsal: true }],
    "a HostProcess container did it on Windows": [fromNode, there],
    "a HostProcess container did not": [fromNode, { ...there, rehearsal: true, attempt: lost }],
    "nobody has seen it work on Windows yet": [
      "windows-node-to-linux-service",
      { ...there, attempt: lost },
    ],
  };
  it("passes what worked, and fails or does not run the rest, with the reason", () =>
    assertSaid(here, "outcomes.txt", cases, outcomeOf));

  it("tries again what does not work at once", async () => {
    let calls = 0;
    const attempt = () => (++calls < 4 ? lost() : undefined);
    assert.equal((await outcomeOf([toHost, { attempt }]))[0], "passed");
    assert.equal(calls >= 4, true);
  });

  /** A lookup in no time at all, which ends like this one time after the other. */
  async function lookups(...failures: readonly (ProbeFailure | undefined)[]): Promise<RowResult> {
    const left = [...failures];
    const [result] = await results(["windows-node-to-cluster-dns"], {
      details: onHosts,
      seconds: 0,
      attempt: () => left.shift(),
    });
    assert.deepEqual(left, []);
    return result ?? assert.fail();
  }

  it("asks cluster DNS a second time, whatever time is left, and reports how long each try took", async () => {
    const slow = await lookups(lost(), undefined);
    assert.equal(slow.status, "passed");
    assert.match(slow.seen, /^try 1: no answer after \d+\.\d s, try 2: answered after \d+\.\d s$/);
    const gone = await lookups(lost(), { kind: "name", text: "NXDOMAIN" });
    assert.equal(gone.status, "failed");
    assert.match(
      gone.seen,
      /^NXDOMAIN; try 1: no answer after .*, try 2: not found after \d+\.\d s$/,
    );
    assert.equal((await lookups(undefined)).seen, "");
  });

  it("fails only the rows that something is wrong with", async () => {
    const all = await results(["linux-pod-to-linux-*", "linux-pod-to-host"], {
      attempt: ({ service }) => (service === "linux" ? lost() : undefined),
      seconds,
    });
    const failed = all.filter(({ status }) => status === "failed").map(({ row }) => row.id);
    const ids = ["service", "service-name", "node-port"].map((to) => `linux-pod-to-linux-${to}`);
    assert.deepEqual(failed, ids);
  });
});

/** What a network makes of a policy's rules; kindnet and Calico take them as they are. */
type Enforcement = (rules: PolicyRules) => PolicyRules | undefined;

interface PolicyRules {
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly PolicyRule[];
  readonly egress?: readonly PolicyRule[];
}

interface PolicyRule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port: number }[];
}

interface Peer {
  readonly podSelector?: V1LabelSelector;
  readonly namespaceSelector?: V1LabelSelector;
}

describe("rows about NetworkPolicies", () => {
  const manifests = networkPolicies("linux") as readonly { readonly spec: PolicyRules & Peer }[];
  const labelsOf = ({ metadata }: V1Pod): Readonly<Record<string, string>> =>
    metadata?.labels ?? {};
  const ownNamespace = { "kubernetes.io/metadata.name": "kindows-verify" };

  /** Whether rules let a pod's port be reached from a pod, or by one. */
  const allows = (rules: readonly PolicyRule[] = [], peer: V1Pod, port: number): boolean =>
    rules.some(
      ({ from, to = from, ports }) =>
        (ports?.some((each) => each.port === port) ?? true) &&
        (to?.some(({ podSelector, namespaceSelector }) =>
          podSelector
            ? selects(podSelector, labelsOf(peer))
            : selects(namespaceSelector ?? {}, ownNamespace),
        ) ??
          true),
    );

  /** A network that enforces policies in its own way, as soon as they are there. */
  function network(enforce: Enforcement): Fake {
    let made = 0;
    return {
      seconds,
      isolate: () => Promise.resolve(void (made += 1)),
      attempt({ origin, url }) {
        const { hostname, port } = new URL(url);
        const pods = healthy.pods.filter(
          ({ metadata, status }) =>
            metadata?.name === (origin === "outside" ? "" : origin.pod) ||
            status?.podIP === hostname,
        );
        const [from, to] = pods.sort((one) => (one.status?.podIP === hostname ? 1 : -1));
        assert.ok(from && to, url);
        const on = (pod: V1Pod, type: string): readonly PolicyRules[] =>
          made === 0
            ? []
            : manifests
                .filter(({ spec }) => selects(spec.podSelector ?? {}, labelsOf(pod)))
                .flatMap(({ spec }) => enforce(spec) ?? [])
                .filter(({ policyTypes }) => policyTypes.includes(type));
        const [into, out] = [on(to, "Ingress"), on(from, "Egress")];
        const opened =
          (into.length === 0 || into.some(({ ingress }) => allows(ingress, from, Number(port)))) &&
          (out.length === 0 || out.some(({ egress }) => allows(egress, to, Number(port))));
        return opened ? undefined : lost();
      },
    };
  }

  const withoutPeers = (rules: readonly PolicyRule[] = []): readonly PolicyRule[] =>
    rules.map(({ ports }) => ({ ...(ports && { ports }) }));
  const withoutPorts = (rules: readonly PolicyRule[] = []): readonly PolicyRule[] =>
    rules.map(({ from, to }) => ({ ...(from && { from }), ...(to && { to }) }));
  const networks: Readonly<Record<string, Enforcement>> = {
    "that are enforced": (rules) => rules,
    "that are not enforced": () => undefined,
    "of which everything is blocked": ({ policyTypes }) => ({ policyTypes }),
    "of which it makes no difference who it is": ({ policyTypes, ingress, egress }) => ({
      policyTypes,
      ingress: withoutPeers(ingress),
      egress: withoutPeers(egress),
    }),
    "of which ports make no difference": ({ policyTypes, ingress, egress }) => ({
      policyTypes,
      ingress: withoutPorts(ingress),
      egress: withoutPorts(egress),
    }),
    "of which only what comes in is limited": (rules) =>
      rules.policyTypes.includes("Ingress") ? { ...rules, policyTypes: ["Ingress"] } : undefined,
  };
  it("fail only where a network does something else", () =>
    assertSaid(here, "policies.txt", networks, async (enforce) => {
      const all = await results(["linux-policy-*"], network(enforce));
      const wrong = all.filter(({ status }) => status !== "passed");
      return wrong.map(({ row, reason }) => `${row.id}: ${reason}`);
    }));

  it("show nothing where their controls fail, and say so", async () => {
    const [control, row] = await results(["linux-policy-default-deny"], { attempt: lost, seconds });
    assert.match(control?.reason ?? "", /^no answer within 4 s/);
    assert.equal(row?.status, "failed");
    assert.equal(
      row.reason,
      "it would prove nothing, because linux-policy-default-deny-control has not passed",
    );
  });

  it("are rehearsed, as their controls are, where a rehearsed node's pods have a network", async () => {
    const policies = { isolated: false };
    const pods = (["client", "isolated"] as const).map((part, at) =>
      rolePod({ os: "windows", part }, windowsNode.name, `10.244.9.${at}`),
    );
    const all = await results(["windows-policy-default-deny"], {
      ...{ seconds, rehearsal: true, facts: { rehearsedPodNetwork: true } },
      details: { ...onHosts, pods: [...onHosts.pods, ...pods] },
      isolate: () => Promise.resolve(void (policies.isolated = true)),
      attempt: () => (policies.isolated ? lost() : undefined),
    });
    assert.deepEqual(
      all.map(({ status }) => status),
      ["rehearsed", "rehearsed"],
      all.map(({ reason }) => reason).join(),
    );
  });

  it("do not pass where a denied path was not tried", async () => {
    const policies = { isolated: false };
    const [, row] = await results(["linux-policy-default-deny"], {
      seconds,
      isolate: () => Promise.resolve(void (policies.isolated = true)),
      attempt: () => (policies.isolated ? { kind: "exec", text: "no shell" } : undefined),
    });
    assert.match(row?.reason ?? "", /^the command could not be run/);
  });

  it("come after all others", async () => {
    const tried: string[] = [];
    await results(["linux-policy-port", "linux-pod-to-linux-service"], {
      isolate: () => Promise.resolve(void tried.push("policies")),
      attempt: ({ policy, service }) => void tried.push(policy?.name ?? service ?? "control"),
    });
    const [other, control, under] = ["linux", "control", "linux-port"];
    assert.deepEqual(tried.slice(0, 4).sort(), [control, control, other, other]);
    assert.deepEqual(tried.slice(4), ["policies", under, under]);
  });

  it("fail where their policies cannot be made", () =>
    results(["linux-policy-port"], {
      isolate: () => Promise.reject(new Error("forbidden")),
    }).then(([control, row]) => {
      assert.equal(control?.status, "passed");
      assert.equal(row?.reason, "the row could not be completed: forbidden");
    }));
});

describe("the samples' rows", () => {
  const settings = rolePod({ os: "linux", part: "client" }, "linux-a", "10.244.0.7");
  const withPods = (os: string): Details => ({
    ...healthy,
    nodes: [linuxNode],
    pods: [{ ...settings, metadata: { name: `settings-${os}` } }],
  });
  const [linux, windows] = ["linux", "windows"].map(withPods) as [Details, Details];
  const answers: Readonly<Record<string, string>> = {
    SETTINGS_USERNAME: "admin",
    "/settings/secret/password": "1f2d1e2e67df",
    SETTINGS_PROPERTY: "hello",
    "/settings/config/example.property.2": "world",
    "echo from the other container > /shared/note": "",
    "/shared/note": "from the other container",
    "/node/hosts": "127.0.0.1 localhost",
  };
  const printing =
    (change: Readonly<Record<string, string>>) =>
    ({ args }: ShellCommand): Printed => {
      const stdout = { ...answers, ...change }[args.at(-1) ?? ""] ?? "unknown";
      return { exitCode: 0, stdout: `${stdout}\n`, stderr: "" };
    };
  const wrong = { "/settings/secret/password": "sesame" };
  const measured = (name: string): object => {
    const podRef = { name, namespace: "kindows-verify", uid: "1" };
    const used = { cpu: { usageCoreNanoSeconds: 7 }, memory: { workingSetBytes: 9 } };
    return { node: { nodeName: "linux-a" }, pods: [{ podRef, ...used }] };
  };
  const onWindows = { summary: measured("settings-windows"), rehearsal: true };
  const cases: Readonly<Record<string, readonly [id: string, Fake]>> = {
    "everything is in the containers": ["linux-settings", { details: linux, run: printing({}) }],
    "something else is in its place": ["linux-settings", { details: linux, run: printing(wrong) }],
    "containers are modelled": ["windows-settings", { details: windows, rehearsal: true }],
    "kubelet cannot measure a pod": ["windows-metrics", { details: windows, ...onWindows }],
    "kubelet has measured the pod": [
      "linux-metrics",
      { details: linux, summary: measured("settings-linux") },
    ],
    "kubelet has not measured the pod": [
      "linux-metrics",
      { details: linux, summary: measured("another"), seconds },
    ],
    "there is no pod": ["linux-settings", { seconds }],
    "a Windows node has no pod of the DaemonSet": ["windows-node-agent", { seconds }],
  };
  it("pass when everything is there, fail when not, and print nothing that is in its place", () =>
    assertSaid(here, "samples.txt", cases, outcomeOf));
});

describe("time", () => {
  it("is longer where images of Windows are pulled", () => {
    for (const [id, rehearsal, expected] of [
      ["linux-pod-to-host", false, 120],
      ["linux-pod-to-windows-pod", false, 1200],
      ["windows-settings", false, 1200],
      ["windows-settings", true, 300],
      ["linux-settings", true, 120],
    ] as const) {
      assert.equal(rowSeconds(selectRows([id])[0] ?? assert.fail(id), rehearsal), expected);
    }
  });

  it("names what the rows still wait for", () => {
    const text = "3 of 9 rows done; waiting for a pod (2 rows), its connections (1 row), b (1 row)";
    assert.equal(waitingText(3, 9, ["a pod", "its connections", "a pod", "b", "c"]), text);
  });
});
