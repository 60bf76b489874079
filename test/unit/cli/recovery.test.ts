import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";

import {
  type Deployment,
  type Extent,
  extentOf,
  parseDeployment,
  pendingOperations,
  removeFromState,
  resourcesOf,
  type StateResource,
} from "../../../cli/engine/deployment.ts";
import { assertAddressesFree } from "../../../cli/lab/addresses-in-use.ts";
import type { HostResource } from "../../../components/host-resource.ts";
import { checkLock, readLocks, seenProcess } from "../../../cli/recovery/locks.ts";
import { removePushes, repairState } from "../../../cli/recovery/repair.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";
import {
  deployment,
  libvirtMachine,
  resource,
  stepInputs,
  urn,
  windowsNode,
} from "./state-builder.ts";

const network = urn("libvirt:index/network:Network", "lab");
const dockerNetwork = urn("docker:index/network:Network", "lab");
const volume = urn("libvirt:index/volume:Volume", "win-1");
const domain = urn("libvirt:index/domain:Domain", "win-1");
const cluster = urn("command:local:Command", "cluster");
const providers = "pulumi:providers:kubernetes";
const provider = `${urn(providers, "cluster")}::some-id`;
const token = urn("command:local:Command", "token");
const local = (name: string, rest: Partial<StateResource> = {}): StateResource =>
  resource("command:local:Command", name, rest);
const remote = (name: string, rest: Partial<StateResource>): StateResource =>
  resource("command:remote:Command", name, rest);

/** A lab with one node, as `index.ts` makes it. */
const lab = [
  resource("pulumi:pulumi:Stack", "kindows-t", { custom: false }),
  resource("pulumi:providers:libvirt", "hypervisor"),
  local("login-key"),
  resource("libvirt:index/network:Network", "lab"),
  resource("docker:index/network:Network", "lab", { dependencies: [network] }),
  local("cluster", { dependencies: [dockerNetwork] }),
  resource(providers, "cluster", { propertyDependencies: { kubeconfig: [cluster] } }),
  resource("kubernetes:core/v1:ConfigMap", "settings", { provider }),
  resource("kubernetes:apps/v1:DaemonSet", "kube-proxy", {
    provider,
    deletedWith: cluster,
    dependencies: [urn("command:remote:Command", "join")],
  }),
  resource("libvirt:index/volume:Volume", "win-1"),
  resource("libvirt:index/domain:Domain", "win-1", { dependencies: [network, volume] }),
  remote("containerd", { deletedWith: domain, dependencies: [domain] }),
  local("token", { deletedWith: cluster, propertyDependencies: { environment: [cluster] } }),
  remote("join", {
    deletedWith: domain,
    dependencies: [domain, token],
    propertyDependencies: { stdin: [token, cluster] },
  }),
  local("below", { parent: domain }),
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
    const before = deployment([kept, resource("c", "x", { urn: "x" })]);
    const after = removeFromState(before, new Set(["x"]));
    assert.deepEqual(after, deployment([{ ...kept, dependencies: ["y"], replaceWith: [] }]));
  });

  it("ends on resources that need each other", () => {
    const a = local("a", { dependencies: [urn("command:local:Command", "b")] });
    const b = local("b", { dependencies: [a.urn] });
    assert.deepEqual([...extentOf([a, b], new Set([a.urn]), "built-on")], [a.urn, b.urn]);
  });
});

const pool = resource("libvirt:index/pool:Pool", "machines", { id: "p1" });

const thing = (identity: string): HostResource => ({
  kind: identity.split(" ").slice(0, 2).join(" "),
  name: identity,
  lab: "kindows-t",
  identity,
});
describe("repairing a state", () => {
  const domain = resource("libvirt:index/domain:Domain", "win-1", { id: "d1" });
  const step = remote("win-1-step", { deletedWith: domain.urn });
  const token = local("win-1-token", { inputs: stepInputs("mint-token") });
  const join = remote("win-1-join", { propertyDependencies: { stdin: [token.urn] } });

  interface Case {
    readonly state: readonly StateResource[];
    readonly pending?: Deployment["deployment"]["pending_operations"];
    /** What is found on the host. */
    readonly things?: readonly string[];
    readonly unlisted?: string;
    readonly extent?: Extent;
    /** What is left of the state, and what of the host it owns. */
    readonly left?: readonly StateResource[];
    readonly owned?: readonly string[];
    readonly notes?: readonly string[];
  }
  const goneDomain = {
    state: [pool, domain, step],
    things: ["libvirt pool p1"],
    left: [pool],
    notes: ["gone from this host: Domain win-1 (libvirt domain d1)"],
  };
  const unused = "unused join token, will be replaced: Command win-1-token";
  const cases: Readonly<Record<string, Case>> = {
    "leaves one that fits the host as it is": {
      state: [pool, domain, step, token, join],
      owned: ["libvirt pool p1", "libvirt domain d1"],
    },
    "drops pending operations and says which; a domain half made is nobody's": {
      state: [pool],
      pending: [{ type: "creating", resource: domain }],
      owned: ["libvirt pool p1"],
      notes: ["creating Domain win-1 was interrupted"],
    },
    "forgets what is gone from the host with what was done to it": goneDomain,
    "forgets it for destroy, too": { ...goneDomain, extent: "deleted-with" },
    "takes a thing of the same name, replaced by somebody, for another one": {
      state: [pool],
      things: ["libvirt pool p2"],
      extent: "deleted-with",
      left: [],
      notes: ["gone from this host: Pool machines (libvirt pool p1)"],
    },
    "takes nothing for gone that it could not look for": {
      state: [pool, domain],
      things: ["libvirt pool p1"],
      unlisted: "libvirt domain",
    },
    "forgets a token whose join is not in the state": { state: [token], left: [], notes: [unused] },
    "keeps it for destroy": { state: [token], extent: "deleted-with" },
    "forgets a token whose join goes with its machine": {
      state: [domain, token, { ...join, deletedWith: domain.urn }],
      things: [],
      left: [],
      notes: [...goneDomain.notes, unused],
    },
    "keeps a token that a join has used": { state: [token, join] },
  };
  eachCase("%s", cases, (one) => {
    const { state, pending, things = ["libvirt pool p1", "libvirt domain d1"], unlisted } = one;
    const observed = { things: things.map(thing), unlisted: unlisted ? [{ kind: unlisted }] : [] };
    const repair = repairState(deployment(state, pending), observed, one.extent ?? "built-on");
    assert.deepEqual(repair.deployment, deployment(one.left ?? state));
    assert.deepEqual(repair.notes, one.notes ?? []);
    if (one.owned) assert.deepEqual([...repair.owned], one.owned);
  });
});

const copy = "command:remote:CopyToRemote";
const [win1, win10] = [windowsNode("win-1"), windowsNode("win-10")];
const copied = (of: StateResource, name: string, ...step: [string, string?]): StateResource =>
  resource(copy, name, { parent: of.urn, inputs: stepInputs(...step) });
const [home, kubelet, containerd, other] = [
  copied(win1, "win-1-home", "copy-scripts"),
  copied(win1, "win-1-push-kubelet", "push", "sha256"),
  copied(win1, "win-1-push-containerd", "push", "sha256"),
  copied(win10, "win-10-push-kubelet", "push", "sha256"),
];
const install = (...dependencies: string[]): StateResource =>
  remote("win-1-install-kubernetes", {
    parent: win1.urn,
    dependencies,
    inputs: { create: "Install-Kubernetes.ps1" },
  });
const nodes = [win1, win10, home, other];
const state = deployment([...nodes, kubelet, containerd, install(kubelet.urn, home.urn)]);

describe("programs that are to be pushed again", () => {
  it("are removed for that node alone, and what they were for stays", () => {
    const { deployment: after, notes } = removePushes(state, ["win-1"]);
    assert.deepEqual(resourcesOf(after), [...nodes, install(home.urn)]);
    const pushes = ["kubelet", "containerd"];
    assert.deepEqual(
      notes,
      pushes.map((name) => `pushed again: CopyToRemote win-1-push-${name}`),
    );
  });

  it("are none on a machine whose image carries them", () =>
    assert.deepEqual(removePushes(state, ["win-2"]), { deployment: state, notes: [] }));
});

describe("a stack's exported state", () => {
  it("is read with what this program does not know kept, and with what is not there", () => {
    const exported = {
      version: 3,
      deployment: {
        manifest: { time: "2026-11-21T11:48:12Z", magic: "ab", version: "v3.276.0" },
        secrets_providers: { type: "passphrase", state: { salt: "v1:x" } },
        resources: [{ urn: "u", type: "t", custom: true, sourcePosition: "project:///index.ts#1" }],
        metadata: { integrity_error: null },
      },
    };
    assert.deepEqual(parseDeployment(JSON.stringify(exported)), exported);
    const empty = parseDeployment('{"version":3,"deployment":{"manifest":{}}}');
    assert.deepEqual([resourcesOf(empty), pendingOperations(empty)], [[], []]);
  });

  const guess = '{"type":"guessing","resource":{"urn":"u","type":"t"}}';
  const wrong: Readonly<Record<string, readonly [text: string, RegExp]>> = {
    "another format version": ['{"version":2,"deployment":{}}', /format version 2/],
    "no JSON": ["error: no stack", /JSON/],
    "no deployment": ['{"version":3}', /deployment/],
    "an operation of an unknown kind": [
      `{"version":3,"deployment":{"pending_operations":[${guess}]}}`,
      /creating/,
    ],
  };
  eachCase("is refused: %s", wrong, ([text, message]) =>
    assert.throws(() => parseDeployment(text), message),
  );
});

const timestamp = new Date("2026-11-21T11:48:10Z");
const lock = { pid: 2034, username: "root", hostname: "here", timestamp };
/** A process that was started so many milliseconds after the lock was written. */
const started = (program: string, after: number) => ({
  program,
  startedAt: new Date(timestamp.getTime() + after),
});

const verdicts: Readonly<
  Record<string, readonly [string, ReturnType<typeof started> | undefined, string]>
> = {
  "no such process": ["here", undefined, "dead"],
  "the engine, started before": ["here", started("pulumi", -1000), "alive"],
  "an engine within the clock's grain": ["here", started("pulumi", 900), "alive"],
  "a later engine with the number": ["here", started("pulumi", 710_000), "dead"],
  "another program with the number": ["here", started("bash", -1000), "dead"],
  "a lock of another host": ["there", undefined, "elsewhere"],
  "another host, same number": ["there", started("pulumi", -1000), "elsewhere"],
};

describe("the engine's lock", () => {
  eachCase("%s", verdicts, ([hostname, found, verdict]) =>
    assert.equal(checkLock(lock, hostname, found), verdict),
  );

  it("is read from its file, and half-written by a killed engine is nobody's; attributes are none", async () => {
    const at = inNewFolder();
    await writeFile(at("a.json"), JSON.stringify(lock));
    await writeFile(at("a.json.attrs"), "{}");
    await writeFile(at("b.json"), '{"pid":12');
    const nobody = { pid: 0, username: "nobody", hostname: "here", timestamp: new Date(0) };
    assert.deepEqual(await readLocks(at(), "here"), [lock, nobody]);
    assert.deepEqual(await readLocks(at("none"), "here"), []);
  });
});

describe("a running process", () => {
  it("is seen with its program and start, if there is one", async () => {
    const seen = await seenProcess(process.pid);
    const started = Date.now() - process.uptime() * 1000;
    assert.ok(seen?.program && Math.abs(seen.startedAt.getTime() - started) < 60_000);
    assert.equal(await seenProcess(2 ** 22 + 1), undefined);
  });
});

describe("nodes that get the address of a machine that still runs", () => {
  const machines = (...names: readonly string[]) =>
    names.map((node, index) => libvirtMachine(node, `10.0.0.${index + 10}`));
  const check = (
    state: readonly StateResource[],
    nodes: readonly (string | { readonly name: string; readonly address: string })[],
  ): void => {
    const settings = resolveSettings(
      {
        network: { cidr: "10.0.0.0/24" },
        nodes: nodes.map((node) => (typeof node === "string" ? { name: node } : node)),
      },
      { stack: "t", file: "Pulumi.t.yaml" },
    );
    assertAddressesFree(state, settings, "t");
  };

  it("are refused: a renamed one, and one that moves up because an earlier one is left out", () => {
    assert.throws(() => check(machines("win-1"), ["win-9"]), {
      message:
        "1 mistake in the settings (Pulumi.t.yaml); nothing was changed:\n" +
        '  - the address of win-9: "10.0.0.10" is still that of win-1, which is removed or moved only after win-9 has ' +
        "got it. Write another address for win-9, or add it in a second run.",
    });
    assert.throws(() => check(machines("win-1", "win-2", "win-3"), ["win-2", "win-3"]), {
      message:
        /2 mistakes.*\n.*Write `address: 10\.0\.0\.11`, .* for win-2\.\n.*0\.12`.* for win-3\./,
    });
  });

  it("are taken as soon as none does, or they have another address", () => {
    check([], ["win-9"]);
    check(machines("win-1", "win-2"), ["win-1", "win-2", "win-3"]);
    check(machines("win-1", "win-2"), [{ name: "win-2", address: "10.0.0.11" }]);
    check(machines("win-1"), [{ name: "win-9", address: "10.0.0.20" }]);
    check(
      machines("win-1").map((one) => ({ ...one, delete: true })),
      ["win-9"],
    );
    // What the versions before facts have made.
    check(
      machines("win-1").map((one) => ({ ...one, inputs: {} })),
      ["win-1"],
    );
  });
});
