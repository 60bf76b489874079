import assert from "node:assert/strict";

import type { StateResource } from "../../../cli/engine/deployment.ts";
import type { Pulumi } from "../../../cli/engine/pulumi.ts";
import { onEachHypervisor } from "../../../components/machine/libvirt/host-resources.ts";
import { labOf } from "../../../components/machine/libvirt/pools-and-networks.ts";
import { pools } from "../../../components/machine/libvirt/storage.ts";
import {
  assertAllReachable,
  unreachableAmong,
  hypervisorsOf,
  exclusionOf,
  leftText,
  urnsOn,
} from "../../../cli/lab/fleet.ts";
import type { Host } from "../../../host/host.ts";
import { labOutputs } from "../../../cli/lab/outputs.ts";
import { goneMachines } from "../../../components/machine/hyper-v/recovery.ts";
import { repairState } from "../../../cli/recovery/repair.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { eachCase } from "../each-case.ts";
import {
  component,
  deployment,
  libvirtMachine,
  resource,
  stepInputs,
  windowsNode,
} from "./state-builder.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
const settings = resolveSettings(
  {
    hypervisors: ["b", "c"].map((name) => ({
      name,
      uri: `qemu+ssh://root@${name}/system`,
      hostKey: key,
      privateKeyFile: "/k",
      bridge: "br0",
    })),
    nodes: [
      { name: "win-1", hypervisor: "local" },
      { name: "win-2", hypervisor: "b" },
      { name: "win-3", hypervisor: "b" },
    ],
  },
  { stack: "t", file: "Pulumi.t.yaml" },
);
const remote = (name: string) => ({
  name,
  uri: `qemu+ssh://root@${name}/system`,
  virshUri: `virsh-of-${name}`,
});
const [b, c] = [remote("b"), remote("c")];
const unreachableB = { ...b, reason: "no route" };

/** A host whose libvirts have these pools, by address; one that is not listed does not answer. */
function hostWith(poolsByUri: Readonly<Record<string, readonly string[]>>): Host & {
  readonly asked: readonly string[];
} {
  const asked: string[] = [];
  return {
    libvirtUri: "here",
    others: [b, c],
    asked,
    run: (_program, [, , uri = "", ...words]) => {
      asked.push(`${uri}: ${words.join(" ")}`);
      const names = poolsByUri[uri];
      if (names === undefined) return Promise.reject(new Error("no route"));
      return Promise.resolve(
        words[0] === "pool-dumpxml"
          ? `<pool><uuid>uuid of ${words[2]}</uuid></pool>`
          : `${names.join("\n")}\n`,
      );
    },
  };
}

describe("a lab on several hypervisors", () => {
  it("knows its pools by the lab's name, also with a hypervisor's behind it", () => {
    const labs = ["kindows-a", "kindows-a.b-2", "kindows-a.", "kindows-a.b.c", "my.b", "default"];
    const ofLab = labs.filter((each) => labOf(each) === "kindows-a");
    assert.deepEqual(ofLab, ["kindows-a", "kindows-a.b-2"]);
    assert.equal(labs.filter((each) => labOf(each) !== undefined).length, 2);
  });

  it("finds things on each, once where two addresses lead to one libvirt", async () => {
    const here = ["kindows-t", "kindows-t.c"];
    const host = hostWith({ here, "virsh-of-b": ["kindows-t.b"], "virsh-of-c": here });
    const found = await onEachHypervisor(pools).find(host);
    assert.deepEqual(
      found.map(({ name, lab, hypervisor }) => [name, lab, hypervisor]),
      [
        ["kindows-t", "kindows-t", undefined],
        ["kindows-t.c", "kindows-t", undefined],
        ["kindows-t.b", "kindows-t", "b"],
      ],
    );
  });

  it("removes a thing where it is", async () => {
    const host = hostWith({ here: [], "virsh-of-b": [], "virsh-of-c": [] });
    const thing = { kind: "libvirt pool", name: "kindows-t.b", lab: "kindows-t", identity: "i" };
    await onEachHypervisor(pools).remove({ ...thing, hypervisor: "b" }, host);
    assert.ok(host.asked.length > 0 && host.asked.every((line) => line.startsWith("virsh-of-b: ")));
  });

  it("names the hypervisor that fails while it is looked at", async () => {
    const host = hostWith({ here: [], "virsh-of-c": [] });
    const found = onEachHypervisor(pools).find(host);
    await assert.rejects(found, /on the hypervisor b \(qemu\+ssh:\/\/root@b\/system\): no route/);
  });

  it("tells those that do not answer, with virsh's reason in one line", async () => {
    const reason = "error: failed\nerror: no route";
    const unreachable = await unreachableAmong([b, c], (uri) => {
      const how = uri === b.virshUri ? "badly" : "well";
      return Promise.resolve({ how, exitCode: 1, reason, stdout: "", stderr: "" });
    });
    assert.deepEqual(unreachable, [{ ...b, reason: "failed: no route" }]);
  });

  it("leaves what is unreachable as it is: out of the program, and out of what the engine compares", () => {
    assert.deepEqual(
      exclusionOf({ reachable: [c], unreachable: [unreachableB] }, settings, ["urn:1", "urn:2"]),
      {
        args: ["--continue-on-error", "--exclude", "urn:1", "--exclude", "urn:2"],
        environment: { KINDOWS_AWAY: "b" },
      },
    );
    const text =
      "the hypervisor b (qemu+ssh://root@b/system) does not answer: no route; left as they are: win-2, win-3";
    assert.equal(leftText([unreachableB], settings), text);
  });

  it("names to the program none that only the state knows; changes nothing for a lab on one", () => {
    const former = { reachable: [], unreachable: [{ ...unreachableB, name: "former" }] };
    assert.deepEqual(exclusionOf(former, settings, []).environment, {});
    const none = { reachable: [], unreachable: [] };
    assert.deepEqual(exclusionOf(none, { hypervisors: [] }, []), { args: [], environment: {} });
    assertAllReachable(none, "t");
  });

  it("does not go while one is unreachable, and says how it goes without", () =>
    assert.throws(() => assertAllReachable({ reachable: [], unreachable: [unreachableB] }, "t"), {
      name: "Failure",
      message:
        /b \(qemu\+ssh:\/\/root@b\/system\) does not answer: no route.*`KINDOWS_GONE=b kindows down --stack t`/s,
    }));
});

const whole = {
  kubeconfig: "apiVersion: v1",
  sshPrivateKey: "key",
  controlPlane: {
    endpoint: "plane:6443",
    hostsEntries: [],
    kubernetesVersion: "1.36.4",
    nodeNames: [],
  },
  nodes: [{ name: "w", os: "windows", address: "192.0.2.10", hostKey: "k", sshUser: "Admin" }],
};

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** A stack with these outputs. */
const stackWith = (outputs: object): Pulumi => {
  const state = (): Promise<string> => Promise.resolve(JSON.stringify(outputs));
  return { stack: "test", state } as Partial<Pulumi> as Pulumi;
};

describe("the outputs of a lab", () => {
  it("are those of its stack", async () =>
    assert.deepEqual(await labOutputs(stackWith(whole)), whole));

  const partial: Readonly<Record<string, object>> = {
    "that was never up": {},
    "whose last run has lost a host on the way": { ...whole, nodes: unknown },
    "whose control plane was not made": { ...whole, kubeconfig: unknown, controlPlane: unknown },
  };
  eachCase("are not there for one %s", partial, async (outputs) =>
    assert.equal(await labOutputs(stackWith(outputs)), undefined),
  );

  it("of another version are reported by their names, without what is in them", () =>
    assert.rejects(labOutputs(stackWith({ ...whole, nodes: ["secret"] })), (error: Error) => {
      assert.match(error.message, /the stack's outputs \(nodes\.0\): another one .* newer/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    }));
});

const command = "command:local:Command";
const below = ({ urn: parent }: StateResource): { readonly parent: string } => ({ parent });
const names = (urns: readonly string[]): string[] =>
  urns.map((each) => each.split("::").slice(-2).join(" ")).sort();
const storage = (name: string, hypervisor?: string): StateResource =>
  component(
    "kindows:machine:MachineStorage",
    name,
    hypervisor ? { hypervisor: remote(hypervisor) } : {},
  );
/** What a lab has on a hypervisor: its provider, a pool with the images, and a machine with a step on its node. */
function partsOn(hypervisor: string | undefined, node: string): StateResource[] {
  const suffix = hypervisor === undefined ? "" : `-${hypervisor}`;
  const provider = resource("pulumi:providers:libvirt", `hypervisor${suffix}`);
  const made = { provider: `${provider.urn}::some-id` };
  const pool = `machines${suffix}`;
  const [disks, vm] = [storage(pool, hypervisor), libvirtMachine(node)];
  const joined = windowsNode(node);
  return [
    ...[provider, disks, vm, joined],
    resource("libvirt:index/pool:Pool", pool, { ...made, ...below(disks), id: `of${suffix}` }),
    resource(command, `${pool}-images`, below(disks)),
    resource("libvirt:index/domain:Domain", node, { ...made, ...below(vm), id: node }),
    resource(command, `${node}-reservation`, below(vm)),
    resource("command:remote:Command", `${node}-join`, {
      ...below(joined),
      dependencies: [token.urn],
    }),
  ];
}
const win3 = libvirtMachine("win-3");
const token = resource(command, "win-3-token", {
  ...below(win3),
  inputs: stepInputs("mint-token"),
});

describe("what the state has on further hypervisors", () => {
  const linuxOnB = storage("linux-machines-b", "b");
  const server = { host: "b", port: 22, user: "root", hostKey: key, privateKeyFile: "/k" };
  const fabricHost = { name: "b", server, lab: "kindows-t", script: "", unit: "" };
  const environment = { FABRIC_HOST: JSON.stringify(fabricHost) };
  const fabricOnB = component("kindows:network:FabricHost", "fabric-b", { host: "b" });
  const resources = [
    ...[...partsOn(undefined, "win-1"), ...partsOn("b", "win-1-b"), ...partsOn("b-2", "win-2")],
    ...[linuxOnB, resource(command, "linux-machines-b-images", below(linuxOnB))],
    component("kindows:network:FabricHost", "fabric-local", { host: "local" }),
    ...[fabricOnB, resource(command, "fabric-b", { ...below(fabricOnB), inputs: { environment } })],
    ...[win3, token],
  ];

  it("is the provider, the pool, and all of the nodes; nothing of names that begin alike", () =>
    assert.deepEqual(names(urnsOn(resources, ["b"])), [
      "command:local:Command fabric-b",
      "command:local:Command linux-machines-b-images",
      "command:local:Command machines-b-images",
      "command:local:Command win-1-b-reservation",
      "command:remote:Command win-1-b-join",
      "kindows:machine:LibvirtMachine win-1-b",
      "kindows:machine:MachineStorage linux-machines-b",
      "kindows:machine:MachineStorage machines-b",
      "kindows:network:FabricHost fabric-b",
      "kindows:windows:WindowsNode win-1-b",
      "libvirt:index/domain:Domain win-1-b",
      "libvirt:index/pool:Pool machines-b",
      "pulumi:providers:libvirt hypervisor-b",
    ]));

  it("has a node there that was begun, and has no machine yet", () => {
    const urns = urnsOn(resources, ["b"], ["win-3"]);
    assert.ok(names(urns).includes("command:local:Command win-3-token"));
  });

  it("is nothing where none is asked about", () => assert.deepEqual(urnsOn(resources, []), []));

  it("is not taken for gone while its hypervisor does not answer", () => {
    const things = ["pool of", "pool of-b-2", "domain win-1", "domain win-2"].map((name) => ({
      kind: "",
      name,
      lab: "kindows-t",
      identity: `libvirt ${name}`,
    }));
    const state = deployment(resources);
    const unreachable = new Set(urnsOn(resources, ["b"]));
    assert.deepEqual(
      repairState(state, { things, unlisted: [], unreachable }, "built-on").notes,
      [],
    );
    assert.deepEqual(repairState(state, { things, unlisted: [] }, "built-on").notes, [
      "gone from this host: Pool machines-b (libvirt pool of-b)",
      "gone from this host: Domain win-1-b (libvirt domain win-1-b)",
    ]);
  });

  it("tells the hypervisors, those of the settings by what these say", () => {
    const known = [{ name: "b", uri: "new", virshUri: "new" }];
    assert.deepEqual(hypervisorsOf(resources, known), [...known, remote("b-2")]);
  });

  describe("in a state that an earlier version has written", () => {
    const former = resources.map((each) => ({ ...each, inputs: { poolName: "p" } }));

    it("is not guessed", () =>
      assert.throws(() => urnsOn(former, ["b"]), /another one .* `kindows down` removes the lab/));

    it("are the hypervisors of the settings, if it has no others", () => {
      const known = ["b", "b-2"].map(remote);
      assert.deepEqual(hypervisorsOf(former, known), known);
      assert.throws(() => hypervisorsOf(former, known.slice(1)), /another one/);
    });
  });
});

describe("machines that are gone from their Hyper-V host", () => {
  const host = {
    name: "rack-3",
    address: "192.0.2.3",
    port: 22,
    user: "Administrator",
    hostKey: "ssh-ed25519 AAAA",
    privateKeyFile: "/k",
    switchName: "Lab",
    folder: "D:\\kindows",
    baseDisk: "D:\\i.vhdx",
    lab: "kindows-t",
    owner: "0f".repeat(6),
  };
  const making = resource("kindows:machine:HyperVMachine", "a", { custom: false });
  const environment = { HYPER_V_HOST: JSON.stringify(host) };
  const made = (name: string, trigger: unknown): StateResource =>
    resource(command, name, { ...below(making), inputs: { environment, triggers: [trigger] } });
  const [one, two] = [made("win-1", "0a".repeat(6)), made("win-2", "0b".repeat(6))];
  // Of the third the state does not tell the making.
  const veiled = made("win-3", { ciphertext: "v1:abc" });
  const all = [making, one, two, veiled];
  const step = resource("command:remote:Command", "win-1-step", { deletedWith: one.urn });
  const said: string[] = [];
  const gone = (there: readonly string[] | Error): Promise<readonly string[]> =>
    goneMachines(
      all,
      (line) => said.push(line),
      () => (there instanceof Error ? Promise.reject(there) : Promise.resolve(there)),
    );

  afterEach(() => delete process.env["KINDOWS_GONE"]);

  it("are found by their making, where the host answers", async () => {
    assert.deepEqual(await gone(["0b".repeat(6), "cc".repeat(6)]), [one.urn]);
    assert.deepEqual(await gone(["0a".repeat(6), "0b".repeat(6)]), []);
    assert.deepEqual(said.splice(0), []);
    assert.deepEqual(await gone(new Error("no route")), []);
    assert.match(said.splice(0).join("\n"), /cannot see whether machines still exist: no route/);
    process.env["KINDOWS_GONE"] = "rack-3";
    assert.deepEqual(await gone(new Error("asked")), []);
    assert.deepEqual(said, []);
  });

  it("are removed from the state with what was done on them", () => {
    const observed = {
      things: [],
      unlisted: [],
      goneElsewhere: [{ urn: one.urn, maker: "Hyper-V" }],
    };
    const repair = repairState(deployment([one, two, step]), observed, "built-on");
    assert.deepEqual(repair.deployment, deployment([two]));
    assert.deepEqual(repair.notes, ["gone from its Hyper-V host: Command win-1"]);
  });
});
