import assert from "node:assert/strict";
import { hypervisorsOf, together } from "../../../../cli/lab/hypervisors.ts";
import { goneFromHyperV, machinesByHost } from "../../../../cli/recovery/hyper-v-machines.ts";
import { urnsOn } from "../../../../cli/recovery/on-hypervisors.ts";
import { repairState } from "../../../../cli/recovery/repair.ts";
import { deployment, resource, urn } from "./state-builder.ts";

const providers = "pulumi:providers:libvirt";
const at = (name: string): { readonly provider: string } => ({
  provider: `${urn(providers, name)}::some-id`,
});
const uri = (host: string): { readonly inputs: { readonly uri: string } } => ({
  inputs: { uri: `qemu+ssh://root@${host}/system?knownhosts=/p&keyfile=/k&sshauth=privkey` },
});
const domain = "libvirt:index/domain:Domain";

const resources = [
  resource(providers, "hypervisor", { inputs: { uri: "qemu:///system" } }),
  resource(providers, "hypervisor-b", uri("b")),
  resource(providers, "hypervisor-b-2", uri("b2")),
  resource("libvirt:index/network:Network", "lab", { ...at("hypervisor"), id: "n" }),
  resource("kindows:machine:MachineStorage", "machines", { custom: false }),
  resource("kindows:machine:MachineStorage", "machines-b", { custom: false }),
  resource("libvirt:index/pool:Pool", "machines-b", { ...at("hypervisor-b"), id: "p" }),
  resource("command:local:Command", "machines-b-images"),
  resource("command:local:Command", "machines-b-2-images"),
  resource("kindows:machine:MachineStorage", "linux-machines-b", { custom: false }),
  resource("command:local:Command", "linux-machines-b-images"),
  resource("command:local:Command", "linux-machines-images"),
  resource(domain, "win-1", { ...at("hypervisor"), id: "d1" }),
  resource(domain, "win-1-b", { ...at("hypervisor-b"), id: "d2" }),
  resource(domain, "win-2", { ...at("hypervisor-b-2"), id: "d3" }),
  resource("command:local:Command", "win-1-b-reservation"),
  resource("command:remote:Command", "win-1-b-join"),
  resource("command:remote:Command", "win-1-join"),
  resource("kindows:windows:WindowsNode", "win-1-b", { custom: false }),
  resource("command:local:Command", "win-3-token"),
];
const names = (urns: readonly string[]): string[] =>
  urns.map((each) => each.split("::").slice(-2).join(" ")).sort();

describe("what the state has on further hypervisors", () => {
  it("is the provider, the pool, and all of the nodes; nothing of names that begin alike", () =>
    assert.deepEqual(names(urnsOn(resources, ["b"])), [
      "command:local:Command linux-machines-b-images",
      "command:local:Command machines-b-images",
      "command:local:Command win-1-b-reservation",
      "command:remote:Command win-1-b-join",
      "kindows:machine:MachineStorage linux-machines-b",
      "kindows:machine:MachineStorage machines-b",
      "kindows:windows:WindowsNode win-1-b",
      "libvirt:index/domain:Domain win-1-b",
      "libvirt:index/pool:Pool machines-b",
      "pulumi:providers:libvirt hypervisor-b",
    ]));

  it("has a node there that was begun, and has no machine yet", () => {
    const urns = urnsOn(resources, ["b"], ["win-3"], ["win-1", "win-2"]);
    assert.ok(names(urns).includes("command:local:Command win-3-token"));
  });

  it("is nothing where none is asked about", () => assert.deepEqual(urnsOn(resources, []), []));

  it("is not taken for gone while its hypervisor does not answer", () => {
    const things = ["libvirt network n", "libvirt domain d1", "libvirt domain d3"].map(
      (identity) => ({ kind: "", name: identity, lab: "kindows-t", identity }),
    );
    const state = deployment(resources);
    const away = new Set(urnsOn(resources, ["b"]));
    assert.deepEqual(repairState(state, { things, blind: [], away }, "built-on").notes, []);
    assert.deepEqual(repairState(state, { things, blind: [] }, "built-on").notes, [
      "gone from this host: Pool machines-b (libvirt pool p)",
      "gone from this host: Domain win-1-b (libvirt domain d2)",
    ]);
  });

  it("tells the hypervisors by their providers, with addresses for people and for virsh", () => {
    assert.deepEqual(hypervisorsOf(resources)[0], {
      name: "b",
      uri: "qemu+ssh://root@b/system",
      virshUri:
        "qemu+libssh://root@b/system?known_hosts_verify=normal&known_hosts=/p&keyfile=/k&sshauth=privkey",
    });
    const settings = [{ name: "b", uri: "new", virshUri: "new" }];
    assert.deepEqual(
      together(settings, hypervisorsOf(resources)).map(({ name, uri: each }) => [name, each]),
      [
        ["b", "new"],
        ["b-2", "qemu+ssh://root@b2/system"],
      ],
    );
  });
});

describe("machines that are gone from their Hyper-V host", () => {
  const host = {
    ...{ name: "rack-3", address: "192.0.2.3", port: 22, user: "Administrator" },
    ...{ hostKey: "ssh-ed25519 AAAA", privateKeyFile: "/k", switchName: "Lab" },
    ...{ folder: "D:\\kindows", baseDisk: "D:\\i.vhdx", lab: "kindows-t", owner: "0f".repeat(6) },
  };
  const command = "command:local:Command";
  const action = (name: string): string =>
    `node toolchain/program/run.js components/machine/actions/${name}.ts`;
  const prepared = resource(command, "hyper-v-rack-3", {
    inputs: {
      create: action("prepare-hyper-v-host"),
      environment: { HYPER_V_HOST: JSON.stringify(host) },
    },
  });
  const machine = (name: string, trigger: unknown): ReturnType<typeof resource> =>
    resource(command, name, {
      inputs: { create: action("make-hyper-v-machine"), triggers: [trigger] },
      dependencies: [prepared.urn],
    });
  const [one, two] = [machine("win-1", "0a".repeat(6)), machine("win-2", "0b".repeat(6))];
  const step = resource("command:remote:Command", "win-1-step", { deletedWith: one.urn });
  const said: string[] = [];
  const gone = (there: readonly string[] | Error): Promise<readonly string[]> =>
    goneFromHyperV(
      [prepared, one, two],
      (line) => said.push(line),
      () => (there instanceof Error ? Promise.reject(there) : Promise.resolve(there)),
    );

  beforeEach(() => said.splice(0));
  afterEach(() => delete process.env["KINDOWS_GONE"]);

  it("are found by their making", async () => {
    assert.deepEqual(await gone(["0b".repeat(6), "cc".repeat(6)]), [one.urn]);
    assert.deepEqual(await gone(["0a".repeat(6), "0b".repeat(6)]), []);
  });

  it("are none where the host does not answer, which is said", async () => {
    assert.deepEqual(await gone(new Error("no route")), []);
    assert.match(said.join("\n"), /was not seen: no route/);
  });

  it("are not asked for where the host is said to be gone", async () => {
    process.env["KINDOWS_GONE"] = "rack-3";
    assert.deepEqual(await gone(new Error("asked")), []);
    assert.deepEqual(said, []);
  });

  it("are none whose making the state does not tell", () => {
    const veiled = machine("win-3", { ciphertext: "v1:abc" });
    const machines = machinesByHost([prepared, one, veiled]).map(({ machines }) => machines);
    assert.deepEqual(machines, [[{ urn: one.urn, making: "0a".repeat(6) }]]);
  });

  it("are forgotten with what was done on them", () => {
    const sight = { things: [], blind: [], goneElsewhere: [one.urn] };
    const repair = repairState(deployment([prepared, one, two, step]), sight, "built-on");
    assert.deepEqual(repair.deployment, deployment([prepared, two]));
    assert.deepEqual(repair.notes, ["gone from its Hyper-V host: Command win-1"]);
  });
});
