import assert from "node:assert/strict";
import { hypervisorsOf, together, urnsOn } from "../../../../cli/lab/fleet.ts";
import type { StateResource } from "../../../../cli/engine/deployment.ts";
import { goneFromHyperV, machinesByHost } from "../../../../cli/recovery/hyper-v-machines.ts";
import { repairState } from "../../../../cli/recovery/repair.ts";
import { component, deployment, resource, urn } from "../recovery/state-builder.ts";

const providers = "pulumi:providers:libvirt";
const at = (name: string): { readonly provider: string } => ({
  provider: `${urn(providers, name)}::some-id`,
});
const domain = "libvirt:index/domain:Domain";
const command = "command:local:Command";
/** A hypervisor as a storage names it. */
const remote = (name: string) => ({
  name,
  uri: `qemu+ssh://root@${name}/system`,
  virshUri: `virsh-of-${name}`,
});
const storage = (name: string, hypervisor?: string): StateResource =>
  component("kindows:machine:MachineStorage", name, {
    ...(hypervisor !== undefined && { hypervisor: remote(hypervisor) }),
  });
const below = ({ urn: parent }: StateResource): { readonly parent: string } => ({ parent });
const [here, onB, onB2, linuxOnB] = [
  storage("machines"),
  storage("machines-b", "b"),
  storage("machines-b-2", "b-2"),
  storage("linux-machines-b", "b"),
];
const sized = { ...{ cpus: 1, memoryMiB: 1, diskGiB: 1 }, domainType: "kvm" } as const;
const machine = (node: string): StateResource =>
  component("kindows:machine:LibvirtMachine", node, {
    ...{ node, os: "windows", address: "192.0.2.1", ...sized },
  });
const [win1, win1b, win2] = [machine("win-1"), machine("win-1-b"), machine("win-2")];
const node = (name: string): StateResource =>
  component("kindows:windows:WindowsNode", name, { node: name, checkFolder: "C:\\k" });
const [node1, node1b] = [node("win-1"), node("win-1-b")];
const tokens = component("kindows:controlplane:BootstrapToken", "win-3", { node: "win-3" });
const token = resource(command, "win-3", below(tokens));
const resources = [
  resource(providers, "hypervisor"),
  resource(providers, "hypervisor-b"),
  resource(providers, "hypervisor-b-2"),
  resource("libvirt:index/network:Network", "lab", { ...at("hypervisor"), id: "n" }),
  ...[here, onB, onB2, linuxOnB],
  resource("libvirt:index/pool:Pool", "machines-b", {
    ...at("hypervisor-b"),
    ...below(onB),
    id: "p",
  }),
  resource("libvirt:index/pool:Pool", "machines-b-2", {
    ...at("hypervisor-b-2"),
    ...below(onB2),
    id: "p2",
  }),
  resource(command, "machines-b-images", below(onB)),
  resource(command, "machines-b-2-images", below(onB2)),
  resource(command, "linux-machines-b-images", below(linuxOnB)),
  resource(command, "machines-images", below(here)),
  ...[win1, win1b, win2],
  resource(domain, "win-1", { ...at("hypervisor"), ...below(win1), id: "d1" }),
  resource(domain, "win-1-b", { ...at("hypervisor-b"), ...below(win1b), id: "d2" }),
  resource(domain, "win-2", { ...at("hypervisor-b-2"), ...below(win2), id: "d3" }),
  resource(command, "win-1-b-reservation", below(win1b)),
  ...[node1, node1b],
  resource("command:remote:Command", "win-1-b-join", below(node1b)),
  resource("command:remote:Command", "win-1-join", { ...below(node1), dependencies: [token.urn] }),
  ...[tokens, token],
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
      "kindows:machine:LibvirtMachine win-1-b",
      "kindows:machine:MachineStorage linux-machines-b",
      "kindows:machine:MachineStorage machines-b",
      "kindows:windows:WindowsNode win-1-b",
      "libvirt:index/domain:Domain win-1-b",
      "libvirt:index/pool:Pool machines-b",
      "pulumi:providers:libvirt hypervisor-b",
    ]));

  it("has a node there that was begun, and has no machine yet", () => {
    const urns = urnsOn(resources, ["b"], ["win-3"]);
    assert.ok(names(urns).includes("command:local:Command win-3"));
  });

  it("is nothing where none is asked about", () => assert.deepEqual(urnsOn(resources, []), []));

  it("is not taken for gone while its hypervisor does not answer", () => {
    const things = ["network n", "pool p2", "domain d1", "domain d3"].map((name) => ({
      ...{ kind: "", name, lab: "kindows-t" },
      identity: `libvirt ${name}`,
    }));
    const state = deployment(resources);
    const unreachable = new Set(urnsOn(resources, ["b"]));
    assert.deepEqual(repairState(state, { things, blind: [], unreachable }, "built-on").notes, []);
    assert.deepEqual(repairState(state, { things, blind: [] }, "built-on").notes, [
      "gone from this host: Pool machines-b (libvirt pool p)",
      "gone from this host: Domain win-1-b (libvirt domain d2)",
    ]);
  });

  it("tells the hypervisors, those of the settings by what these say", () => {
    const settings = [{ name: "b", uri: "new", virshUri: "new" }];
    const known = hypervisorsOf(resources, settings);
    assert.deepEqual(together([...settings, ...known]), [...settings, remote("b-2")]);
  });

  describe("in a state that an earlier version has written", () => {
    const former = resources.map((each) => ({ ...each, inputs: { poolName: "p" } }));

    it("is not guessed", () =>
      assert.throws(() => urnsOn(former, ["b"]), /earlier version: run `kindows up` once/));

    it("are the hypervisors of the settings, if it has no others", () => {
      const known = ["b", "b-2"].map(remote);
      assert.deepEqual(hypervisorsOf(former, known), []);
      assert.throws(() => hypervisorsOf(former, known.slice(1)), /earlier version/);
    });
  });
});

describe("machines that are gone from their Hyper-V host", () => {
  const host = {
    ...{ name: "rack-3", address: "192.0.2.3", port: 22, user: "Administrator" },
    ...{ hostKey: "ssh-ed25519 AAAA", privateKeyFile: "/k", switchName: "Lab" },
    ...{ folder: "D:\\kindows", baseDisk: "D:\\i.vhdx", lab: "kindows-t", owner: "0f".repeat(6) },
  };
  const [preparing, making] = ["HyperVHost", "HyperVMachine"].map((type) =>
    resource(`kindows:machine:${type}`, "a", { custom: false }),
  ) as [StateResource, StateResource];
  const prepared = resource(command, "hyper-v-rack-3", {
    ...below(preparing),
    inputs: { environment: { HYPER_V_HOST: JSON.stringify(host) } },
  });
  const made = (name: string, trigger: unknown): StateResource =>
    resource(command, name, {
      ...below(making),
      inputs: { triggers: [trigger] },
      dependencies: [prepared.urn],
    });
  const [one, two] = [made("win-1", "0a".repeat(6)), made("win-2", "0b".repeat(6))];
  const all = [preparing, prepared, making, one, two];
  const step = resource("command:remote:Command", "win-1-step", { deletedWith: one.urn });
  const said: string[] = [];
  const gone = (there: readonly string[] | Error): Promise<readonly string[]> =>
    goneFromHyperV(
      all,
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
    const veiled = made("win-3", { ciphertext: "v1:abc" });
    const machines = machinesByHost([preparing, prepared, making, one, veiled]).map(
      ({ machines }) => machines,
    );
    assert.deepEqual(machines, [[{ urn: one.urn, making: "0a".repeat(6) }]]);
  });

  it("are removed from the state with what was done on them", () => {
    const observed = { things: [], blind: [], goneElsewhere: [one.urn] };
    const repair = repairState(deployment([prepared, one, two, step]), observed, "built-on");
    assert.deepEqual(repair.deployment, deployment([prepared, two]));
    assert.deepEqual(repair.notes, ["gone from its Hyper-V host: Command win-1"]);
  });
});
