import assert from "node:assert/strict";
import { extentOf, removeFromState, type Extent } from "../../../../cli/recovery/remove-from-state.ts";
import { eachCase } from "../../each-case.ts";
import { deployment, resource, urn } from "./state-builder.ts";

const network = urn("libvirt:index/network:Network", "lab");
const domain = urn("libvirt:index/domain:Domain", "win-1");
const cluster = urn("command:local:Command", "cluster");
const provider = urn("pulumi:providers:kubernetes", "cluster");
const token = urn("command:local:Command", "token");

/** A lab with one node, as `index.ts` makes it. */
const lab = [
  resource("pulumi:pulumi:Stack", "kindows-t", { custom: false }),
  resource("pulumi:providers:libvirt", "hypervisor"),
  resource("command:local:Command", "login-key"),
  resource("libvirt:index/network:Network", "lab"),
  resource("docker:index/network:Network", "lab", { dependencies: [network] }),
  resource("command:local:Command", "cluster", {
    dependencies: [urn("docker:index/network:Network", "lab")],
  }),
  resource("pulumi:providers:kubernetes", "cluster", {
    propertyDependencies: { kubeconfig: [cluster] },
  }),
  resource("kubernetes:core/v1:ConfigMap", "settings", { provider: `${provider}::some-id` }),
  resource("kubernetes:apps/v1:DaemonSet", "kube-proxy", {
    provider: `${provider}::some-id`,
    deletedWith: cluster,
    dependencies: [urn("command:remote:Command", "join")],
  }),
  resource("libvirt:index/volume:Volume", "win-1"),
  resource("libvirt:index/domain:Domain", "win-1", {
    dependencies: [network, urn("libvirt:index/volume:Volume", "win-1")],
  }),
  resource("command:remote:Command", "containerd", { deletedWith: domain, dependencies: [domain] }),
  resource("command:local:Command", "token", {
    deletedWith: cluster,
    propertyDependencies: { environment: [cluster] },
  }),
  resource("command:remote:Command", "join", {
    deletedWith: domain,
    dependencies: [domain, token],
    propertyDependencies: { stdin: [token, cluster] },
  }),
  resource("command:local:Command", "below", { parent: domain }),
];

const onMachine = ["Command::containerd", "Command::join", "Command::below"];
const inCluster = ["ConfigMap::settings", "DaemonSet::kube-proxy"];
const cases: Readonly<Record<string, readonly [gone: string[], Extent, removed: string[]]>> = {
  "nothing is gone": [[], "built-on", []],
  "a machine is gone, for up: its steps go too, the cluster stays": [
    [domain],
    "built-on",
    ["Domain::win-1", ...onMachine],
  ],
  "a machine is gone, for destroy: the engine would not run its steps' deletes either": [
    [domain],
    "deleted-with",
    ["Domain::win-1", ...onMachine],
  ],
  "the cluster is gone, for up: what is in it goes, the join is done again, the machine stays": [
    [cluster],
    "built-on",
    ["Command::cluster", ...inCluster, "Command::token", "Command::join"],
  ],
  "the cluster is gone, for destroy: the join's own delete still runs on the machine": [
    [cluster],
    "deleted-with",
    ["Command::cluster", ...inCluster, "Command::token"],
  ],
  "the network is gone, for up: all that stood on it is rebuilt, keys and disks stay": [
    [network],
    "built-on",
    [
      ...["Network::lab", "Network::lab", "Command::cluster", ...inCluster],
      ...["Domain::win-1", "Command::containerd", "Command::token", "Command::join"],
      "Command::below",
    ],
  ],
};

describe("removing resources from the state that no longer exist", () => {
  eachCase("%s", cases, ([gone, extent, removed]) => {
    const urns = extentOf(lab, new Set(gone), extent);
    const inOrder = lab.filter((each) => urns.has(each.urn)).map((each) => each.urn);
    const names = inOrder.map((each) => each.split(/:+/).slice(-2).join("::"));
    assert.deepEqual(names, removed);
  });

  it("leaves no reference to what was removed", () => {
    const urns = extentOf(lab, new Set([network, cluster]), "built-on");
    const text = JSON.stringify(removeFromState(deployment(lab), urns));
    for (const each of urns) {
      assert.equal(text.includes(`"${each}"`), false, each);
    }
  });

  it("keeps every other field of what stays", () => {
    const kept = resource("a", "b", { dependencies: ["x", "y"], replaceWith: ["x"], id: "1" });
    const after = removeFromState(deployment([kept, resource("c", "x", { urn: "x" })]), new Set(["x"]));
    assert.deepEqual(after, deployment([{ ...kept, dependencies: ["y"], replaceWith: [] }]));
  });

  it("ends on resources that need each other", () => {
    const a = resource("command:local:Command", "a", {
      dependencies: [urn("command:local:Command", "b")],
    });
    const b = resource("command:local:Command", "b", { dependencies: [a.urn] });
    assert.deepEqual([...extentOf([a, b], new Set([a.urn]), "built-on")], [a.urn, b.urn]);
  });
});
