import assert from "node:assert/strict";
import type { Previewed, PreviewedResource } from "../../../policy/previewed.ts";
import { secret } from "../../../offline/plugins/protocol/property-value.ts";
import { reachableNodes, unreachableVariable } from "../../../stacks/reachable-nodes.ts";
import { type Recording, recordedStack } from "./recorded-stack.ts";

const settings = {
  nodes: [
    { name: "win-1", hypervisor: "local" },
    ...["win-2", "win-3", "win-4"].map((name) => ({ name })),
    { name: "linux-1", os: "linux", hypervisor: "rack-2" },
  ],
};

const domain = "libvirt:index/domain:Domain";
const command = "command:local:Command";

describe("one lab on several hypervisors", () => {
  let preview: Recording;
  before(async () => (preview = await recordedStack("fleet", { settings })));

  const named = (type: string, from = preview): PreviewedResource[] =>
    from.resources.filter((one) => one.type === type);
  const one = (type: string, name: string, from = preview): PreviewedResource =>
    named(type, from).find((each) => each.name === name) ?? assert.fail(`no ${type} ${name}`);
  const names = (resources: readonly PreviewedResource[]): string[] =>
    resources.map(({ name }) => name).sort();
  /** How a machine is connected. */
  const interfacesOf = (name: string, from = preview): string =>
    JSON.stringify(one(domain, name, from).inputs["networkInterfaces"]);
  const waitsFor = ({ dependencies }: PreviewedResource, needed: readonly string[]): void => {
    for (const name of needed) {
      assert.ok(
        dependencies.some((each) => each.endsWith(`::${name}`)),
        name,
      );
    }
  };

  it("gives providers a stand-in, wherever that is, as no hypervisor answers", () => {
    for (const { inputs } of named("pulumi:providers:libvirt")) {
      assert.deepEqual(inputs["uri"], secret(null));
    }
  });

  it("shows a provider, a pool and one copy of the image for each hypervisor", () => {
    assert.deepEqual(names(named("pulumi:providers:libvirt")), [
      "hypervisor",
      "hypervisor-rack-2",
      "hypervisor-rack-3",
    ]);
    const pools = named("libvirt:index/pool:Pool").map(({ inputs }) => inputs["name"]);
    assert.deepEqual(pools.sort(), [
      "kindows-fleet",
      "kindows-fleet.rack-2",
      "kindows-fleet.rack-3",
    ]);
    const volumes = names(named("libvirt:index/volume:Volume"));
    const found = volumes.filter((name) => name.startsWith("machines-"));
    assert.deepEqual(found, ["machines-base", "machines-rack-2-base", "machines-rack-3-base"]);
  });

  it("makes one segment, on this host; machines elsewhere are on a bridge there", () => {
    assert.deepEqual(names(named("libvirt:index/network:Network")), ["lab"]);
    assert.match(interfacesOf("win-1"), /"waitForLease":true/);
    for (const name of ["win-2", "win-3", "win-4", "linux-1"]) {
      assert.match(interfacesOf(name), /^\[\{"bridge":"br-fleet","mac":"[0-9A-F:]+"\}\]$/);
    }
  });

  it("reserves the addresses of those in the segment's own network, before they start", () => {
    const reservations = named(command).filter(({ name }) => name.endsWith("-reservation"));
    assert.deepEqual(names(reservations), [
      "linux-1-reservation",
      "win-2-reservation",
      "win-3-reservation",
      "win-4-reservation",
    ]);
    const text = JSON.stringify(one(command, "win-2-reservation").inputs["environment"]);
    assert.match(text, /qemu:\/\/\/system/);
    assert.match(text, /192\.168\.170\.11/);
    waitsFor(one(domain, "win-2"), ["win-2-reservation"]);
  });

  it("brings the Linux machines' image to the one hypervisor that has such a machine", () => {
    const volumes = named("libvirt:index/volume:Volume").filter(({ name }) =>
      name.startsWith("linux-"),
    );
    assert.deepEqual(
      volumes.map(({ name, inputs }) => [name, inputs["pool"]]),
      [
        ["linux-machines-rack-2-base", "kindows-fleet.rack-2"],
        ["linux-1", "kindows-fleet.rack-2"],
      ],
    );
    assert.match(JSON.stringify(volumes[0]?.inputs["name"]), /^"kindows-fleet\.rack-2-linux-/);
    assert.ok(names(named("command:remote:Command")).includes("linux-1-join-node"));
  });

  it("pins the host keys wherever its own commands connect", () => {
    assert.match(
      JSON.stringify(one(command, "machines-rack-3-images").inputs["environment"]),
      /qemu\+libssh:\/\/root@rack-3\.example\.test:2222\/system\?known_hosts_verify=normal&known_hosts=[^&]*kindows-fleet\.rack-3\.known_hosts&keyfile=\/etc\/kindows\/id_ed25519&sshauth=privkey/,
    );
  });

  it("tells where each node runs, and why", () => {
    const reported = preview.diagnostics.map(({ message }) => message).join("\n");
    assert.match(reported, /win-1 runs on local: kindows:nodes\[0\]\.hypervisor says so/);
    assert.match(reported, /win-4 runs on rack-3: most memory is left there \(MiB: local 7936, /);
  });

  it("leaves out what is on a hypervisor that is unreachable", async () => {
    const environment = { KINDOWS_AWAY: "rack-2" };
    const without = await recordedStack("fleet", { settings, environment });
    assert.deepEqual(names(named(domain, without)), ["win-1", "win-4"]);
    assert.ok(
      !without.resources.some(({ name }) => /rack-2|^(win-[23]|linux-1)(-|$)/.test(name)),
      "something of rack-2 is made",
    );
  });

  /** The lab, with a fabric that kindows makes. */
  const onFabric = (fabric: string, more: (number: number) => object = () => ({})) => ({
    ...settings,
    network: { cidr: "192.168.170.0/24", bridge: "kw-fleet", fabric },
    hypervisor: { machineMemoryMiB: 16384, fabricAddress: "192.0.2.1" },
    hypervisors: [2, 3].map((number) => ({
      name: `rack-${number}`,
      uri: `qemu+ssh://root@192.0.2.${number}/system`,
      hostKey: hyperVHosts[0]?.hostKey,
      privateKeyFile: "/etc/kindows/id_ed25519",
      machineMemoryMiB: 49152,
      ...more(number),
    })),
  });

  /** A lab of which only the id is made, which the fabrics carry. */
  const begun = (): Recording => {
    const id = [...preview.steps].filter(([urn]) => urn.endsWith("::lab-id"));
    return { ...preview, steps: new Map(id) };
  };

  it("connects the hosts before machines are made, those that are away remain peers", async () => {
    const connected = await recordedStack("fleet", {
      settings: onFabric("vxlan"),
      environment: { KINDOWS_AWAY: "rack-2" },
      up: begun(),
    });
    const hosts = names(named(command, connected)).filter((name) => name.startsWith("fabric-"));
    assert.deepEqual(hosts, ["fabric-local", "fabric-rack-3"]);
    const script = JSON.stringify(one(command, "fabric-rack-3", connected).inputs);
    for (const address of ["192.0.2.1", "192.0.2.2"]) {
      assert.match(
        script,
        new RegExp(`bridge fdb append 00:00:00:00:00:00 dev \\S+ dst ${address}\\D`),
      );
    }
    assert.match(interfacesOf("win-3", connected), /"bridge":"kw-fleet"/);
    waitsFor(one(domain, "win-3", connected), hosts);
  });

  it("gives each hypervisor a range and a network of its own where the fabric routes", async () => {
    const own = (number: number) => ({ cidr: `10.7.${number}.0/24` });
    const routed = await recordedStack("fleet", {
      settings: onFabric("routed", own),
      up: begun(),
    });
    assert.deepEqual(
      named("libvirt:index/network:Network", routed)
        .map(({ inputs: { name, mode, bridge, addresses } }) => [name, mode, bridge, addresses])
        .sort(),
      [
        ["kindows-fleet", "route", "kw-fleet", ["192.168.170.0/24"]],
        ["kindows-fleet.rack-2", "route", "kw-fleet", ["10.7.2.0/24"]],
        ["kindows-fleet.rack-3", "route", "kw-fleet", ["10.7.3.0/24"]],
      ],
    );
    assert.match(interfacesOf("win-1", routed), /"addresses":\["192\.168\.170\.10"\]/);
    assert.match(interfacesOf("win-2", routed), /"addresses":\["10\.7\.2\.10"\]/);
    assert.match(interfacesOf("linux-1", routed), /"addresses":\["10\.7\.2\.\d+"\]/);
    waitsFor(one(domain, "win-2", routed), ["lab-rack-2", "fabric-local", "fabric-rack-2"]);
    const script = JSON.stringify(one(command, "fabric-rack-3", routed).inputs);
    assert.match(script, /route 192\.168\.170\.0\/24 192\.0\.2\.1 \d+/);
    assert.match(script, /route 10\.7\.2\.0\/24 192\.0\.2\.2 \d+/);
  });

  it("refuses the name of a hypervisor that it does not have", () => {
    process.env[unreachableVariable] = "rack-9";
    const lab = { hypervisors: [], nodes: [], linuxNodes: [] };
    try {
      assert.throws(() => reachableNodes(lab), /KINDOWS_AWAY names rack-9, which is not among/);
    } finally {
      Reflect.deleteProperty(process.env, unreachableVariable);
    }
  });
});

const hyperVHosts = [
  {
    name: "rack-7",
    address: "rack-7.example.test",
    switch: "Lab",
    generation: 2,
    hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB",
    privateKeyFile: "/etc/kindows/rack-7",
    folder: "D:\\kindows",
    image: "D:\\images\\windows-2022.vhdx",
  },
];

describe("a lab with a machine on Hyper-V", () => {
  let preview: Previewed;
  before(async () => {
    const settings = {
      windows: { image: { kind: "disk", path: "/srv/windows-server-2022.qcow2" } },
      hyperVHosts,
      nodes: [
        { name: "win-1", hypervisor: "local" },
        { name: "win-2", hypervisor: "rack-7" },
      ],
    };
    preview = await recordedStack("dev", { settings });
  });

  const found = (type: string, name: string): PreviewedResource =>
    preview.resources.find((one) => one.type === type && one.name === name) ??
    assert.fail(`no ${type} ${name}`);

  it("makes the one on libvirt, and the other by its action on the host", () => {
    const domains = preview.resources.filter(({ type }) => type === domain);
    assert.deepEqual(
      domains.map(({ name }) => name),
      ["win-1"],
    );
    const machine = found("command:local:Command", "win-2");
    for (const needed of ["hyper-v-rack-7", "win-2-reservation"]) {
      assert.ok(
        machine.dependencies.some((urn) => urn.endsWith(`::${needed}`)),
        needed,
      );
    }
  });

  it("puts the same node on it as on any other machine, and all of it goes with it", () => {
    const steps = (node: string): string[] =>
      preview.resources
        .filter(({ type, name }) => type.startsWith("command:remote:") && name.startsWith(node))
        .map(({ name }) => name.replace(node, ""))
        .sort();
    assert.ok(steps("win-1").includes("-join-node"));
    assert.deepEqual(steps("win-2"), steps("win-1"));
    const { urn } = found("command:local:Command", "win-2");
    assert.equal(found("command:remote:Command", "win-2-join-node").deletedWith, urn);
  });
});
