import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";

import type { StateResource } from "../../../cli/engine/deployment.ts";
import { containers } from "../../../cli/host-resources/containers.ts";
import { domains } from "../../../components/machine/libvirt/domains.ts";
import { ownedResources, removeOrphans } from "../../../cli/host-resources/host-resources.ts";
import { labEntries } from "../../../cli/host-resources/kubeconfig-entries.ts";
import { addressReservations } from "../../../cli/host-resources/address-reservations.ts";
import { bridges, libvirtNetworks } from "../../../cli/host-resources/networks.ts";
import { networkFabrics } from "../../../cli/host-resources/network-fabrics.ts";
import { registries, registryVolumes } from "../../../cli/host-resources/registries.ts";
import { labOfEnvironment } from "../../../cli/host-resources/processes.ts";
import type { HostResource, ResourceKind } from "../../../components/host-resource.ts";
import { labOfPoolFile, pools, volumes } from "../../../components/machine/libvirt/storage.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";
import { type Answers, domainXml, psLine, recordedHost, registryLine } from "./recorded-host.ts";
import { resource } from "./state-builder.ts";

const uuid = "214eb323-4be6-4f00-a39a-5f0351cda04b";

const domain = (network: string, disk = ""): string =>
  domainXml(network, `<disk type='volume' device='disk'>${disk}</disk>`, uuid);
const pool = "/var/lib/libvirt/images/kindows-a";
const inPool = "<source pool='kindows-a' volume='kindows-a-win-2.qcow2'/>";
const inFolder = `<source file='${pool}/kindows-a-win-3.qcow2'/>`;
const links = "ip -j link show type bridge";

/** A libvirt network with reservations. */
const reservations = (...hosts: (readonly [name: string, ip: string])[]): string =>
  `<network><ip><dhcp>${hosts
    .map(([name, ip]) => `<host mac='52:54:00:00:00:01' name='${name}' ip='${ip}'/>`)
    .join("")}</dhcp></ip></network>`;

/** Lab, name, identity of what is found. */
type Found = readonly (readonly [string, string, string])[];
const cases: Readonly<Record<string, readonly [ResourceKind, Answers, Found]>> = {
  "domains by the network they are on, or the folder or pool of their disks; look-alikes are not touched":
    [
      domains,
      {
        "virsh list --all":
          " 7 kindows-a-b-win-1 running\n - kindows-a-win-2 shut off\n - kindows-a-win-3 shut off\n - kindows-mine shut off\n - kindows-x-y shut off\n 8 web running\n\n",
        // Lab `a-b`, node `win-1`; not lab `a`, node `b-win-1`.
        "virsh dumpxml --inactive kindows-a-b-win-1": domain("kindows-a-b"),
        "virsh dumpxml --inactive kindows-a-win-2": domain("default", inPool),
        "virsh dumpxml --inactive kindows-a-win-3": domain("default", inFolder),
        "virsh dumpxml --inactive kindows-mine": domain("default", "<source file='/d.qcow2'/>"),
        // On a lab's network, but not named after that lab.
        "virsh dumpxml --inactive kindows-x-y": domain("kindows-a"),
      },
      [
        ["kindows-a-b", "kindows-a-b-win-1", `libvirt domain ${uuid}`],
        ["kindows-a", "kindows-a-win-2", `libvirt domain ${uuid}`],
        ["kindows-a", "kindows-a-win-3", `libvirt domain ${uuid}`],
      ],
    ],
  "addresses that labs have reserved in others' networks, with their random ids; others' are not touched":
    [
      addressReservations,
      {
        "virsh net-list --all": " default active yes yes\n old inactive no yes\n",
        "virsh net-dumpxml --inactive default": reservations(
          ["kindows-a-0123456789abcdef-224", "192.168.122.224"],
          ["kindows-a-0123456789abcdef-225", "192.168.122.225"],
          ["kindows-b-c-fedcba9876543210-16", "192.168.122.16"],
          ["kindows-a-win-1", "192.168.122.9"],
        ),
        "virsh net-dumpxml --inactive old": reservations(["db", "10.0.0.2"]),
      },
      [
        ["kindows-a", "default", "address reservations default 0123456789abcdef"],
        ["kindows-b-c", "default", "address reservations default fedcba9876543210"],
      ],
    ],
  "volumes of a lab's pool, except what somebody else put there": [
    volumes,
    {
      "virsh pool-list --all": " old inactive no\n default active yes\n kindows-a active yes\n",
      "virsh pool-refresh kindows-a": "",
      "virsh vol-list kindows-a":
        " kindows-a-win-1.qcow2   /p/kindows-a/kindows-a-win-1.qcow2\n notes.txt   /p/kindows-a/notes.txt\n",
    },
    [["kindows-a", "kindows-a-win-1.qcow2", "libvirt volume /p/kindows-a/kindows-a-win-1.qcow2"]],
  ],
  "pools by their name": [
    pools,
    {
      "virsh pool-list --all": "default\nkindows-a\nkindows-\nKindows-b\nmy-kindows-a\n",
      "virsh pool-dumpxml --inactive kindows-a": `<pool><uuid>${uuid}</uuid></pool>`,
    },
    [["kindows-a", "kindows-a", `libvirt pool ${uuid}`]],
  ],
  "containers by kind's label; other kind clusters are not touched": [
    containers,
    {
      [psLine]:
        "kindows-b-worker exited kindows-b worker\nkind-control-plane running kind control-plane\nkindows-a-control-plane running kindows-a control-plane\n",
    },
    [
      ["kindows-a", "kindows-a-control-plane", "docker container kindows-a-control-plane"],
      ["kindows-b", "kindows-b-worker", "docker container kindows-b-worker"],
    ],
  ],
  "registries by their label": [
    registries,
    { [registryLine]: "kindows-a-registry running kindows-a 0123456789abcdef\nmine running x y\n" },
    [["kindows-a", "kindows-a-registry", "image registry kindows-a-registry"]],
  ],
  "registries' volumes by their label": [
    registryVolumes,
    {
      'docker volume ls --filter label=kindows.registry-of --format {{.Name}} {{.Label "kindows.registry-of"}} {{.Label "kindows.lab-id"}}':
        "kindows-a-registry kindows-a 0123456789abcdef\n",
    },
    [["kindows-a", "kindows-a-registry", "docker volume kindows-a-registry"]],
  ],
  "bridges by the name a lab has by default": [
    bridges,
    { [links]: '[{"ifname":"docker0"},{},{"ifname":"kw-a"},{"ifname":"virbr0"},{"ifname":"br0"}]' },
    [["kindows-a", "kw-a", "bridge kw-a"]],
  ],
};

describe("finding what labs left on a host", () => {
  eachCase("%s", cases, async ([finder, answers, found]) => {
    const things = await finder.find(recordedHost(answers));
    const seen = things.map(({ lab, name: each, identity }) => [lab, each, identity]);
    assert.deepEqual(seen, found);
    assert.ok(things.every(({ kind }) => kind === finder.kind));
  });

  for (const [finder, list, row, again = list] of [
    [libvirtNetworks, "virsh net-list --all", "kindows-a active"],
    [pools, "virsh pool-list --all", "kindows-a active"],
    [volumes, "virsh pool-list --all", "kindows-a active"],
    [domains, "virsh list --all", " 7 kindows-a running", "virsh list --all --name"],
  ] as const) {
    it(`is not disturbed when what another lab's ${finder.kind} is asked by goes meanwhile`, async () => {
      const lists = [row, ""];
      const host = recordedHost({
        get [list]() {
          return lists.shift();
        },
        ...(again !== list && { [again]: "" }),
      });
      assert.deepEqual(await finder.find(host), []);
    });

    it(`fails when a ${finder.kind} is there and cannot be asked`, async () => {
      const host = recordedHost({ [list]: row, ...(again !== list && { [again]: "kindows-a" }) });
      await assert.rejects(finder.find(host), /kindows-a: failed/);
    });
  }

  it("says so when a pool does not run, rather than taking its disks for gone", async () => {
    const host = recordedHost({ "virsh pool-list --all": "kindows-a inactive no\n" });
    await assert.rejects(volumes.find(host), /kindows-a is not active.*virsh pool-start kindows-a/);
  });
});

describe("removing what a lab left", () => {
  const lab = "kindows-a";
  const network = { kind: "libvirt network", name: lab, lab, identity: undefined };

  it("is fine when the thing is gone already", async () => {
    const host = recordedHost({ "virsh net-list --all": "default\n" });
    await libvirtNetworks.remove(network, host);
  });

  it("fails when the thing is still there", async () => {
    const host = recordedHost({ "virsh net-list --all": "kindows-a\n" });
    await assert.rejects(libvirtNetworks.remove(network, host), /net-undefine kindows-a: failed/);
  });

  it("is fine when a registry's volume is gone already, and fails when it is in use", async () => {
    const volume = { kind: "docker volume", name: "r", lab, identity: undefined };
    const listed = (names: string) => recordedHost({ "docker volume ls --quiet": names });
    await registryVolumes.remove(volume, listed("others"));
    await assert.rejects(registryVolumes.remove(volume, listed("r")), /volume rm r: failed/);
  });

  it("leaves a bridge alone that something is still plugged into", async () => {
    const host = recordedHost({
      [links]: '[{"ifname":"kw-a"}]',
      "ip -o link show master kw-a": "13: vnet2: <UP> master kw-a\n",
    });
    const bridge = { kind: "bridge", name: "kw-a", lab, identity: "bridge kw-a" };
    await assert.rejects(bridges.remove(bridge, host), /kw-a still has 1 port\(s\): 13: vnet2/);
    assert.ok(!host.asked.some((line) => line.includes("delete")));
  });
});

describe("a network fabric that a killed run has left", () => {
  it("is found by its program, which removes it", async () => {
    const at = inNewFolder();
    for (const name of ["kindows-a", "somebody-else"]) {
      await mkdir(at(name));
      await writeFile(at(name, "fabric"), "down() { ip link delete kwx-a; }\n");
    }
    const ran: string[] = [];
    const fabrics = networkFabrics(at(), (_server, shell) => Promise.resolve(`${ran.push(shell)}`));
    const [found, ...others] = await fabrics.find(recordedHost({}));
    assert.deepEqual([found?.lab, others], ["kindows-a", []]);
    if (found) await fabrics.remove(found, recordedHost({}));
    assert.match(ran.join(), /sh -s down [^]*down\(\) \{ ip link delete kwx-a; \}/);
    assert.deepEqual(await networkFabrics(at("none")).find(recordedHost({})), []);
  });
});

describe("names that tell a lab", () => {
  const environments = {
    "A=1\0KINDOWS_LAB=kindows-a\0B=2\0": "kindows-a",
    "KINDOWS_LAB=kindows-a-b\0": "kindows-a-b",
    "XKINDOWS_LAB=kindows-a\0": undefined,
    "NOTE=KINDOWS_LAB=kindows-a\0": undefined,
    "KINDOWS_LAB=other\0": undefined,
    "KINDOWS_LAB=\0": undefined,
    "": undefined,
  };
  eachCase("environment %s", environments, (lab, environment) =>
    assert.equal(labOfEnvironment(environment), lab),
  );

  const files = {
    [`${pool}/x.qcow2`]: "kindows-a",
    [`${pool}/deeper/x.qcow2`]: undefined,
    "/var/lib/libvirt/images/x.qcow2": undefined,
    "/home/me/kindows-a/x.qcow2": undefined,
  };
  eachCase("disk %s", files, (lab, file) => assert.equal(labOfPoolFile(file), lab));
});

describe("a user's kubeconfig", () => {
  it("holds a lab's entries under its name or kind's", () => {
    const text = `
contexts: [{name: kind-kindows-a}, {name: prod}, {name: kindows-a}]
clusters: [{name: kind-kindows-a}, {name: kind-kind}]
users: [{name: my-kindows-a}]`;
    const isOurs = false;
    assert.deepEqual(labEntries(text, "a"), [
      { section: "contexts", name: "kind-kindows-a", lab: "kindows-a", isOurs },
      { section: "contexts", name: "kindows-a", lab: "kindows-a", isOurs },
      { section: "clusters", name: "kind-kindows-a", lab: "kindows-a", isOurs },
    ]);
  });

  it("without such entries is left alone", () => {
    for (const text of ["", "{", "contexts: 5", "- a", "contexts: null"]) {
      assert.deepEqual(labEntries(text, "a"), [], text);
    }
  });
});

/** A finder of things in memory; removing one can fail, or take another kind's with it. */
function fakeKind(kind: string, world: HostResource[], remove?: () => void): ResourceKind {
  const removed = (each: HostResource): unknown => world.splice(world.indexOf(each), 1);
  return {
    kind,
    find: () => Promise.resolve(world.filter((each) => each.kind === kind)),
    byHand: () => "",
    remove: async (each) => void (await (remove === undefined ? removed(each) : remove())),
  };
}

const thing = (kind: string, lab: string, identity: string | undefined): HostResource => ({
  kind,
  name: `${lab} ${identity ?? "-"}`,
  lab,
  identity,
});

function cleanUp(kinds: readonly ResourceKind[], said: string[] = []): Promise<void> {
  const scope = { lab: "kindows-a", owned: new Set(["vm 1"]) };
  return removeOrphans(scope, recordedHost({}), (line) => said.push(line), kinds);
}

describe("removing a lab's orphans", () => {
  it("touches nothing the state owns and nothing of other labs", async () => {
    const kept = [
      thing("vm", "kindows-a", "vm 1"),
      thing("vm", "kindows-b", "vm 3"),
      { ...thing("vm", "kindows-a", "vm 4"), isOurs: false },
    ];
    const world = [...kept, thing("vm", "kindows-a", "vm 2"), thing("vm", "kindows-a", undefined)];
    const said: string[] = [];
    await cleanUp([fakeKind("vm", world)], said);
    assert.deepEqual(world, kept);
    assert.deepEqual(said, ["removed vm kindows-a vm 2", "removed vm kindows-a -"]);
  });

  it("goes on after a failure, and tells every one at the end", async () => {
    const world = [thing("vm", "kindows-a", "vm 2"), thing("disk", "kindows-a", "d")];
    const stuck = fakeKind("vm", world, () => assert.fail("it hangs"));
    const unlisted: ResourceKind = {
      ...fakeKind("pool", world),
      find: () => Promise.reject(new Error("libvirt does not answer")),
    };
    await assert.rejects(cleanUp([stuck, unlisted, fakeKind("disk", world)]), {
      name: "Failure",
      message:
        "orphans of the lab kindows-a remain:\n" +
        "  - cannot remove vm kindows-a vm 2: it hangs\n" +
        "  - cannot look for pool resources: libvirt does not answer",
    });
    const kinds = world.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["vm"]);
  });
});

const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
/** A component, and the command in it that has such a parameter. */
const action = (
  type: string,
  parameter: string,
  value: object,
  rest: Partial<StateResource> = {},
  module = "controlplane",
): [StateResource, StateResource] => {
  const component = resource(`kindows:${module}:${type}`, "a", { custom: false });
  const environment = { [parameter]: JSON.stringify(value), KUBECONFIG_CONTENT: secret };
  const parent = component.urn;
  return [
    resource(type === "FabricHost" ? "command:local:Command" : "kindows:host:Action", "a", {
      parent,
      inputs: { environment },
      ...rest,
    }),
    component,
  ];
};
const libvirt = (kind: string, id: string, outputs?: object): StateResource =>
  resource(`libvirt:index/${kind}:${kind[0]?.toUpperCase()}${kind.slice(1)}`, "a", {
    id,
    outputs: outputs as StateResource["outputs"],
  });
const fabricHost = { name: "local", lab: "kindows-t", mark: "kindows-t.0", script: "", unit: "" };
const containersAt = {
  ...{ uri: "qemu:///system", network: "default", lab: "kindows-t" },
  ...{ id: "0123456789abcdef", prefixLength: 28 },
};
const sshServer = { host: "b", port: 22, user: "root", hostKey: "k", privateKeyFile: "/k" };

describe("the host resources that a resource of the state owns", () => {
  /** What the resource is gone with, and what else it stands for. */
  const cases: Readonly<
    Record<
      string,
      readonly [StateResource | StateResource[], essential: string[], others?: string[]]
    >
  > = {
    domain: [libvirt("domain", uuid), [`libvirt domain ${uuid}`]],
    "network with its bridge": [
      libvirt("network", uuid, { bridge: "kw-t" }),
      [`libvirt network ${uuid}`],
      ["bridge kw-t"],
    ],
    volume: [libvirt("volume", "/pool/a.qcow2"), ["libvirt volume /pool/a.qcow2"]],
    "identity disk, whose id has a random part": [
      libvirt("cloudinitDisk", `/pool/a.iso;${uuid}`),
      ["libvirt volume /pool/a.iso"],
    ],
    "Docker network": [
      resource("docker:index/network:Network", "a", { id: "f00d" }),
      ["docker network f00d"],
    ],
    "kind cluster with one control plane": [
      action("KindCluster", "CLUSTER", { name: "kindows-t", controlPlanes: 1, image: "i" }),
      ["docker container kindows-t-control-plane"],
      ["kind cluster kindows-t"],
    ],
    "kind cluster with three control planes": [
      action("KindCluster", "CLUSTER", { name: "kindows-t", controlPlanes: 3 }),
      ["control-plane", "control-plane2", "control-plane3", "external-load-balancer"].map(
        (each) => `docker container kindows-t-${each}`,
      ),
      ["kind cluster kindows-t"],
    ],
    "Linux worker, its kubeconfig secret": [
      action("LinuxWorker", "WORKER", { name: "kindows-t-w1", cluster: "kindows-t" }),
      ["docker container kindows-t-w1"],
    ],
    "registry, with its images": [
      action("LocalRegistry", "REGISTRY", { name: "kindows-t-registry", lab: "kindows-t" }),
      ["image registry kindows-t-registry"],
      ["docker volume kindows-t-registry"],
    ],
    "what waits for a cluster": [
      action("KindCluster", "CLUSTER", { controlPlanes: ["a"] }, { deletedWith: "cluster" }),
      [],
    ],
    "the addresses of containers in a network that was there": [
      action("LabNetwork", "CONTAINERS", containersAt, {}, "network"),
      [],
      ["address reservations default 0123456789abcdef"],
    ],
    "this host's end of a network fabric": [
      action("FabricHost", "FABRIC_HOST", fabricHost, {}, "network"),
      ["network fabric kindows-t"],
    ],
    "another host's end of it": [
      action("FabricHost", "FABRIC_HOST", { ...fabricHost, server: sshServer }, {}, "network"),
      [],
    ],
    "another component's host action": [action("ExistingCluster", "CLUSTER", { id: "a" }), []],
    "stack, with the files it has handed out": [
      resource("pulumi:pulumi:Stack", "kindows-t", { custom: false }),
      [],
      ["files of kindows-t"],
    ],
  };

  eachCase("%s", cases, ([each, essential, others = []]) => {
    const owned = ownedResources([each].flat());
    const identities = (list: typeof owned) => list.map(({ identity }) => identity);
    assert.deepEqual(identities(owned.filter((one) => one.essential)), essential);
    assert.deepEqual(identities(owned.filter((one) => !one.essential)), others);
  });

  it("is not guessed where a cluster does not say what it is", () =>
    assert.throws(() => ownedResources(action("KindCluster", "CLUSTER", {})), /name/));
});
