import assert from "node:assert/strict";
import { parse } from "yaml";

import {
  blockPrefix,
  describedNetwork,
  type FoundNetwork,
  freeBlock,
  isComplaint,
  leasesIn,
  neighboursIn,
  type TakenAddress,
  usualNetwork,
} from "../../../components/network/found-network.ts";
import { containerHost, labOfHost } from "../../../components/network/lab-hosts.ts";
import { problemText, SettingsError } from "../../../config/problem.ts";
import { resolveOnHost, resolveSettings } from "../../../config/resolve.ts";
import type { Settings } from "../../../config/settings.ts";
import { eachCase } from "../each-case.ts";

/** libvirt's own network, as the founding document shows it; `more` stands for what differs. */
const described = (more: string, ip = ranges(), bridge = "<bridge name='virbr0' stp='on'/>") =>
  `<network connections='1'><name>default</name><uuid>f15a6c78</uuid>${more}${bridge}${ip}</network>`;
const ranges = (dhcp = "<dhcp><range start='192.168.122.2' end='192.168.122.240'/></dhcp>") =>
  `<ip address='192.168.122.1' netmask='255.255.255.0'>${dhcp}</ip>`;
const nat = "<forward mode='nat'/>";

describe("a libvirt network that is there", () => {
  const read = { uuid: "f15a6c78", bridge: "virbr0", cidr: "192.168.122.0/24" };
  const common = { ...read, gateway: "192.168.122.1", mtu: 1500 };
  const usable: Readonly<Record<string, readonly [xml: string, more?: object]>> = {
    "as libvirt comes with it": [described(nat)],
    "whose forward element names no mode, which is NAT": [described("<forward/>")],
    "whose packets are routed": [described("<forward mode='route'/>")],
    "with small packets, a domain and a zone of firewalld": [
      described(
        `${nat}<mtu size='1400'/><domain name='lab.example'/>`,
        ranges(),
        "<bridge name='virbr0' zone='docker'/>",
      ),
      { mtu: 1400, domain: "lab.example", zone: "docker" },
    ],
    "with IPv6 beside IPv4, and a second range without DHCP": [
      described(
        nat,
        `<ip family='ipv6' address='fd00::1' prefix='64'/><ip address='10.0.0.1' prefix='24'/>${ranges()}`,
      ),
    ],
    "with another address than the first": [
      described(nat, "<ip address='10.1.2.254' prefix='20'><dhcp/></ip>"),
      { cidr: "10.1.0.0/20", gateway: "10.1.2.254" },
    ],
  };
  eachCase("is read: %s", usable, ([xml, more]) =>
    assert.deepEqual(describedNetwork(xml), { ...common, ...more }),
  );

  const refused: Readonly<Record<string, readonly [xml: string, why: string]>> = {
    "an isolated one": [
      described(""),
      "is isolated: nothing leads out of it, so nodes can pull no images",
    ],
    "one on a bridge of the host": [
      described("<forward mode='bridge'/>", "", "<bridge name='br0'/>"),
      "has the forward mode bridge, in which libvirt makes no bridge with NAT",
    ],
    "macvtap on an interface": [
      described("<forward dev='eth0' mode='passthrough'/>", "", ""),
      "has the forward mode passthrough, in which libvirt makes no bridge with NAT",
    ],
    "one with IPv6 only": [
      described(nat, "<ip family='ipv6' address='fd00::1' prefix='64'><dhcp/></ip>"),
      "has IPv6 addresses only",
    ],
    "one without addresses": [described(nat, ""), "has no range of addresses"],
    "one without DHCP": [
      described(nat, ranges("")),
      "has no DHCP server, in which the addresses of kind's containers are reserved",
    ],
  };
  eachCase("is refused: %s", refused, ([xml, why]) => {
    const found = describedNetwork(xml);
    assert.ok(isComplaint(found));
    assert.equal(found.why, why);
  });

  it("has leases, whose lines have dates and may have no name", () =>
    assert.deepEqual(
      leasesIn(
        ` 2023-12-31 09:26:23   52:54:00:F5:C6:91   ipv4   192.168.122.220/24   win-1   01:52:54:00:f5:c6:91
 2023-12-31 09:26:23   52:54:00:f5:c6:92   ipv6   fd00::5/64   -   -
 2023-12-31 09:26:24   52:54:00:f5:c6:93   ipv4   192.168.122.7/24   -   -
`,
      ).map(({ address, mac }) => `${address} ${mac}`),
      ["192.168.122.220 52:54:00:f5:c6:91", "192.168.122.7 52:54:00:f5:c6:93"],
    ));

  it("has neighbours that answered, on its bridge", () =>
    assert.deepEqual(
      neighboursIn(
        `IP address       HW type     Flags       HW address            Mask     Device
192.168.122.220  0x1         0x2         52:54:00:f5:c6:91     *        virbr0
192.168.122.221  0x1         0x0         00:00:00:00:00:00     *        virbr0
10.0.0.5         0x1         0x2         02:42:0a:00:00:05     *        eth0
`,
        "virbr0",
      ).map(({ address }) => address),
      ["192.168.122.220"],
    ));
});

const leased = (...addresses: string[]): TakenAddress[] =>
  addresses.map((address) => ({ address, mac: "m", by: "a DHCP lease", name: "" }));

describe("the block of addresses for kind's containers", () => {
  it("has room for sixteen, and for more if there are more", () =>
    assert.deepEqual([1, 3, 16, 17, 40].map(blockPrefix), [28, 28, 28, 27, 26]));

  const small: FoundNetwork = { ...usualNetwork, cidr: "10.0.0.0/27", gateway: "10.0.0.1" };
  const cases: Readonly<
    Record<string, readonly [FoundNetwork, avoid: string[], block: string | undefined]>
  > = {
    "is the highest without the broadcast address": [usualNetwork, [], "192.168.122.224/28"],
    "has no address that somebody has": [
      { ...usualNetwork, taken: leased("192.168.122.230", "192.168.122.220") },
      [],
      "192.168.122.192/28",
    ],
    "has no address of the lab's machines, even if they are off": [
      usualNetwork,
      ["192.168.122.224"],
      "192.168.122.208/28",
    ],
    "is not there where everything has somebody in it": [
      {
        ...usualNetwork,
        taken: leased(...Array.from({ length: 16 }, (_, n) => `192.168.122.${n * 16 + 9}`)),
      },
      [],
      undefined,
    ],
    "is not there in a network that is as small as the block": [small, [], undefined],
  };
  eachCase("%s", cases, ([network, avoid, block]) =>
    assert.equal(freeBlock(network, 28, avoid), block),
  );

  it("is reserved by names with the lab's random id, which nobody else's has", () => {
    const of = { lab: "kindows-own-a", id: "0123456789abcdef" };
    const host = containerHost(of, "192.168.122.224");
    assert.equal(host.name, "kindows-own-a-0123456789abcdef-224");
    assert.deepEqual(labOfHost(host), of);
    const others = ["win-1", "kindows-own-a-224", "", "kindows-own-a-0123456789abcdeg-1"];
    assert.deepEqual(
      others.flatMap((name) => labOfHost({ name }) ?? []),
      [],
    );
    const another = containerHost({ ...of, id: "0123456789abcdee" }, "192.168.122.224");
    assert.notEqual(host.mac, another.mac);
  });
});

const source = { stack: "own", file: "Pulumi.own.yaml" };

function settingsOf(yaml: string, found: Partial<FoundNetwork> = {}): Settings {
  const written = parse(yaml) as Record<string, unknown>;
  return resolveSettings(written, { ...source, found: { ...usualNetwork, ...found } });
}

function problemsOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.problems.map(problemText);
  }
  return [];
}

describe("kindows:network.libvirtNetwork", () => {
  it("gives the lab the network's bridge, range and the rest", () => {
    const found = { bridge: "virbr7", cidr: "10.7.0.0/24", mtu: 1400, domain: "lab.example" };
    const { network } = settingsOf("network: { libvirtNetwork: mine }", found);
    const { bridge, cidr, mtu, domain, libvirtNetwork } = network;
    assert.deepEqual({ bridge, cidr, mtu, domain }, found);
    assert.equal(libvirtNetwork, "mine");
  });

  it("may have the network's own values beside it", () =>
    assert.equal(
      settingsOf("network: { libvirtNetwork: default, cidr: 192.168.122.0/24, bridge: virbr0 }")
        .network.bridge,
      "virbr0",
    ));

  it("changes nothing where it is not written", () =>
    assert.equal(settingsOf("lab: { name: own }").network.found, undefined));

  const reserved = Array.from({ length: 16 }, (_, n) => `192.168.122.${n * 16 + 9}`);
  const bad: Readonly<
    Record<string, readonly [yaml: string, problems: string[], found?: Partial<FoundNetwork>]>
  > = {
    "what contradicts the network, and forwarders that would change it": [
      "network: { libvirtNetwork: default, cidr: 192.168.150.0/24, bridge: kw-own, mtu: 1400, domain: a.example, dnsForwarders: [10.0.0.53] }",
      [
        `kindows:network.cidr: "192.168.150.0/24" is not that of libvirt's network default, 192.168.122.0/24. Leave it out: it is read from that network.`,
        `kindows:network.bridge: "kw-own" is not that of libvirt's network default, virbr0. Leave it out: it is read from that network.`,
        `kindows:network.mtu: 1400 is not that of libvirt's network default, 1500. Leave it out: it is read from that network.`,
        `kindows:network.domain: "a.example" is not that of libvirt's network default, b.example. Leave it out: it is read from that network.`,
        `kindows:network.dnsForwarders: ["10.0.0.53"] has no effect: kindows does not change a network that was there before. Leave it out, and set them there (virsh net-edit).`,
      ],
      { domain: "b.example" },
    ],
    "pods in the network's range": [
      "{ network: { libvirtNetwork: default }, cluster: { podCidr: 192.168.64.0/18 } }",
      [
        'kindows:cluster.podCidr: "192.168.64.0/18" overlaps kindows:network.cidr, 192.168.122.0/24. Write a range that does not overlap it, e.g. 10.244.0.0/16.',
      ],
    ],
    "no room for the containers": [
      "network: { libvirtNetwork: default }",
      [
        `kindows:network.libvirtNetwork: "default" has no block of 16 addresses, all of them free, for kind's containers. Use another network, or free some there (virsh net-dhcp-leases; virsh net-dumpxml shows reservations).`,
      ],
      { taken: leased(...reserved) },
    ],
    "machines that kindows would make there": [
      "{ network: { libvirtNetwork: default }, nodes: [{ name: win-1 }] }",
      [
        'kindows:nodes[0]: "win-1" would be made by kindows, which makes machines on a network of its own only, not on default. Write `ssh` for a machine that is there, or leave out kindows:network.libvirtNetwork.',
      ],
    ],
    "several hosts": [
      "{ network: { libvirtNetwork: default, fabric: vxlan }, hypervisor: { fabricAddress: 10.0.0.1 }, hypervisors: [{ name: b, uri: qemu+ssh://root@10.0.0.2/system, hostKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKphE3dBBLzRwJ0sWmnVSVEdyaYzKdVVZ3sXJsr5mJpT, privateKeyFile: /k }] }",
      [
        `kindows:hypervisors[0]: "b" needs a network of the lab's own, and kindows:network.libvirtNetwork names another. Leave out either.`,
      ],
    ],
  };
  eachCase("refuses %s", bad, ([yaml, problems, found]) =>
    assert.deepEqual(
      problemsOf(() => settingsOf(yaml, found)),
      problems,
    ),
  );

  it("takes a block that the lab has reserved already for its own", () => {
    const name = containerHost({ lab: "kindows-own", id: "0".repeat(16) }, "192.168.122.25").name;
    const [first, ...others] = leased(...reserved);
    assert.ok(first);
    const taken: TakenAddress[] = [{ ...first, by: "a reservation", name }, ...others];
    assert.deepEqual(
      problemsOf(() => settingsOf("network: { libvirtNetwork: default }", { taken })),
      [],
    );
  });

  it("says why the network can't be used, and nothing that depends on it", () => {
    const found = { why: "is not active", instead: "Start it." };
    const written = { network: { libvirtNetwork: "n" }, cluster: { podCidr: "192.168.64.0/18" } };
    assert.deepEqual(
      problemsOf(() => resolveSettings(written, { ...source, found })),
      ['kindows:network.libvirtNetwork: "n" is not active. Start it.'],
    );
  });

  it("is read from the libvirt that the settings name; nothing is asked without it", async () => {
    const asked: string[] = [];
    const find = (uri: string, name: string): Promise<FoundNetwork> => {
      asked.push(`${uri} ${name}`);
      return Promise.resolve(usualNetwork);
    };
    await resolveOnHost({ lab: { name: "own" } }, source, [], { network: find });
    await resolveOnHost({ network: { libvirtNetwork: "default", mtu: 1500 } }, source, [], {
      network: find,
    });
    await assert.rejects(
      resolveOnHost({ network: { libvirtNetwork: "my net", mtu: 1500 } }, source, [], {
        network: find,
      }),
    );
    assert.deepEqual(asked, ["qemu:///system default"]);
  });
});
