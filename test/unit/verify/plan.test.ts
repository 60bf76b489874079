import assert from "node:assert/strict";

import type { Snapshot } from "../../../verify/cluster/snapshot.ts";
import { nodePairs } from "../../../verify/run/plan.ts";
import { curlArguments, probeWords } from "../../../verify/run/attempt.ts";
import { eachCase } from "../each-case.ts";
import { healthy, onHosts, planOf, probesOf, waitingPod } from "./cluster-states.ts";

/** Where each probe begins, what it asks, and how often. */
function shown(id: string, snapshot?: Snapshot): readonly string[] {
  return probesOf(id, snapshot).map(({ origin, url, requests }) => {
    const from = origin === "outside" ? "outside" : `${origin.pod}`;
    return `${from} > ${url}${requests > 1 ? ` x${requests}` : ""}`;
  });
}

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
  const [a, b] = ["http://10.244.0.3:8080/hostname", "http://10.244.1.3:8080/hostname"];
  const name = "linux-pods.kindows-verify.svc.cluster.local";
  const dns = "dns://10.96.0.10/linux.kindows-verify.svc.cluster.local";
  const outside = "http://192.168.150";
  /** What is asked from each node, or from outside of each; the same where it is one. */
  const cases: Readonly<Record<string, readonly string[]>> = {
    "linux-pod-to-linux-pod-same-node": [a, b],
    "linux-pod-to-linux-pod-other-node": [b, a],
    "linux-pod-to-linux-pod-name": [
      `http://10-244-1-3.${name}:8080/hostname`,
      `http://10-244-0-3.${name}:8080/hostname`,
    ],
    "linux-pod-to-linux-service": ["http://10.96.1.1:80/hostname x4"],
    "linux-pod-to-linux-service-name": ["http://linux:80/hostname x4"],
    "linux-node-to-linux-pod": [b, a],
    "linux-node-to-cluster-dns": [dns],
    "outside-to-linux-service-linux-node": [
      `${outside}.128:30080/hostname x4`,
      `${outside}.129:30080/hostname x4`,
    ],
    "outside-to-linux-host-port": [
      `${outside}.128:28080/hostname`,
      `${outside}.129:28080/hostname`,
    ],
    "linux-pod-to-host": ["http://192.168.150.1:41234/"],
    "linux-pod-to-internet": ["http://www.example.test/page"],
  };
  const origins: Readonly<Record<string, readonly string[]>> = {
    "linux-pod": ["linux-client-linux-a", "linux-client-linux-b"],
    "linux-node": ["linux-node-linux-a", "linux-node-linux-b"],
    outside: ["outside", "outside"],
  };
  eachCase("of %s", cases, ([first = "", second = first], id) => {
    const [one, other] = origins[id.split("-to-")[0] ?? ""] ?? assert.fail(id);
    assert.deepEqual(shown(id), [`${one} > ${first}`, `${other} > ${second}`]);
  });

  const onNodes: Readonly<Record<string, string>> = {
    "linux-pod-to-windows-host-pod": "linux-client-linux-a > http://192.168.150.10:28081/hostname",
    "linux-pod-to-windows-host-service": "linux-client-linux-a > http://10.96.1.1:80/hostname x4",
    "linux-pod-to-windows-host-service-name":
      "linux-client-linux-a > http://windows-host:80/hostname x4",
    "windows-node-to-linux-pod": "windows-node-win-1 > http://10.244.0.3:8080/hostname",
    "windows-node-to-linux-service": "windows-node-win-1 > http://10.96.1.1:80/hostname x4",
    "windows-node-to-windows-host-service": "windows-node-win-1 > http://10.96.1.1:80/hostname x4",
    "windows-node-to-cluster-dns":
      "windows-node-win-1 > dns://10.96.0.10/linux.kindows-verify.svc.cluster.local",
    "windows-node-to-linux-host-pod": "windows-node-win-1 > http://192.168.150.128:28081/hostname",
    "windows-node-to-windows-host-pod": "windows-node-win-1 > http://192.168.150.10:28081/hostname",
    "outside-to-windows-host-service-linux-node":
      "outside > http://192.168.150.128:30081/hostname x4",
  };
  eachCase("of %s", onNodes, (expected, id) => assert.deepEqual(shown(id, onHosts), [expected]));

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
  const checked = (id: string, answer: string): string | undefined =>
    probesOf(id)[0]?.check(answer);

  it("is right when it comes from the very pod that was asked", () => {
    const id = "linux-pod-to-linux-pod-other-node";
    assert.equal(checked(id, "linux-server-linux-b"), undefined);
    const [wrong = "", none = ""] = ["linux-server-linux-a", ""].map((each) => checked(id, each));
    assert.match(wrong, /"linux-server-linux-a" answered instead/);
    assert.match(none, /answered instead of linux-server-linux-b/);
  });

  it("of a Service is right when each comes from one of its pods", () => {
    const id = "linux-pod-to-linux-service";
    const [a, b] = ["linux-server-linux-a", "linux-server-linux-b"];
    assert.equal(checked(id, `${b}${a}${b}${b}`), undefined);
    assert.ok(checked(id, b.repeat(3)));
    assert.ok(checked(id, `${b.repeat(3)}other`));
  });

  it("of a server on its node's network is right when it has the node's name", () => {
    const [pod] = probesOf("linux-pod-to-windows-host-pod", onHosts);
    assert.equal(pod?.check("win-1"), undefined);
    assert.equal(pod?.check("WIN-1"), undefined);
    assert.match(pod?.check("linux-a") ?? "", /"linux-a" answered instead of win-1/);
    const [service] = probesOf("linux-pod-to-windows-host-service", onHosts);
    assert.equal(service?.check("WIN-1".repeat(4)), undefined);
    assert.ok(service?.check("WIN-1".repeat(3)));
    assert.deepEqual(service?.targetPods, ["windows-host-server-win-1"]);
  });

  it("of this host is right when it saw a node's address", () => {
    const id = "linux-pod-to-host";
    assert.equal(checked(id, "kindows verify abc sees 192.168.150.128"), undefined);
    assert.match(checked(id, "kindows verify abc sees 10.244.0.2") ?? "", /not masqueraded/);
    assert.match(checked(id, "<html>login</html>") ?? "", /came back instead of/);
  });

  it("of cluster DNS is right when it is the Service's address, however nslookup writes it", () => {
    const id = "linux-node-to-cluster-dns";
    const name = "linux.kindows-verify.svc.cluster.local";
    const server = "Server:  UnKnown\nAddress:  10.96.0.10\n\n";
    const right = [
      `${server}Name:    ${name}\nAddress:  10.96.1.1\n\n`,
      `Server:\t\t10.96.0.10\nAddress:\t10.96.0.10#53\n\nName:\t${name}\nAddress: 10.96.1.1\n`,
      `${server}Name:    ${name}\nAddresses:  10.96.1.1\n          10.96.1.2\n`,
    ];
    for (const answer of right) assert.equal(checked(id, answer), undefined, answer);
    const wrong = checked(id, `${server}Name:    ${name}\nAddress:  10.96.1.7\n`);
    assert.equal(wrong, "10.96.1.7 came back instead of 10.96.1.1");
    // The server's own address is no answer.
    assert.match(checked(id, server.replace("10.96.0.10", "10.96.1.1")) ?? "", /^no address came/);
    assert.match(checked(id, "") ?? "", /^no address came/);
  });

  it("of cluster DNS is asked for by nslookup, of that server and with a name that is whole", () => {
    const [probe] = probesOf("windows-node-to-cluster-dns", onHosts);
    assert.ok(probe);
    assert.deepEqual(probeWords(probe), [
      ...["nslookup", "-timeout=4", "-type=A", "linux.kindows-verify.svc.cluster.local."],
      "10.96.0.10",
    ]);
  });

  it("is asked for over a new connection each time, and by no proxy", () => {
    const words = curlArguments({ url: "http://x/", requests: 3 });
    assert.deepEqual(words.slice(-3), ["http://x/", "http://x/", "http://x/"]);
    assert.match(words.join(" "), /--noproxy \* --max-time 4 --header Connection: close/);
  });
});
