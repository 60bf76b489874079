import assert from "node:assert/strict";

import { batchesOf } from "../../../../rehearsal/guest/linux-network.ts";
import { linuxNetwork } from "../../../../rehearsal/windows/hns/linux-network.ts";
import {
  endpointSchema,
  type HnsObjects,
  loadBalancerSchema,
  namespaceSchema,
  networkSchema,
  noHnsObjects,
} from "../../../../rehearsal/windows/hns/objects.ts";

const machine = "192.168.150.11";
const networkId = "AAAAAAAA-0000-0000-0000-000000000001";
const endpointId = "BBBBBBBB-0000-0000-0000-000000000002";
const remoteId = "CCCCCCCC-0000-0000-0000-000000000003";
const namespaceId = "DDDDDDDD-0000-0000-0000-000000000004";

const policy = (Type: string, Settings: object) => ({ Type, Settings });

const way = {
  DestinationPrefix: "10.244.2.0/24",
  IsolationId: 4096,
  ProviderAddress: "192.168.150.12",
  DistributedRouterMacAddress: "66-01-02-03-04-05",
};

function network(Type: string, more: readonly object[] = []): HnsObjects["networks"][number] {
  return networkSchema.parse({
    ID: networkId,
    Name: "pods",
    Type,
    Policies: [policy("DrMacAddress", { Address: "00-15-5D-01-02-03" }), ...more],
    Ipams: [
      {
        Subnets: [
          {
            IpAddressPrefix: "10.244.1.0/24",
            Policies: [policy("VSID", { IsolationId: 4096 })],
            Routes: [{ NextHop: "10.244.1.1", DestinationPrefix: "0.0.0.0/0" }],
          },
        ],
      },
    ],
  });
}

function endpoint(more: object = {}): HnsObjects["endpoints"][number] {
  return endpointSchema.parse({
    ID: endpointId,
    Name: "pod",
    HostComputeNetwork: networkId,
    HostComputeNamespace: namespaceId.toLowerCase(),
    MacAddress: "0E-2A-0A-F4-01-05",
    IpConfigurations: [{ IpAddress: "10.244.1.5", PrefixLength: 24 }],
    Routes: [{ NextHop: "10.244.1.1", DestinationPrefix: "0.0.0.0/0" }],
    Policies: [policy("ProviderAddress", { ProviderAddress: machine })],
    ...more,
  });
}

const remote = endpointSchema.parse({
  ID: remoteId,
  HostComputeNetwork: networkId,
  IpConfigurations: [{ IpAddress: "10.244.2.5" }],
  Flags: 1,
});

const namespace = namespaceSchema.parse({ ID: namespaceId, NamespaceId: 2, Type: "Host" });

function balancer(more: object = {}): HnsObjects["loadBalancers"][number] {
  return loadBalancerSchema.parse({
    ID: "EEEEEEEE-0000-0000-0000-000000000005",
    HostComputeEndpoints: [endpointId, remoteId.toLowerCase()],
    SourceVIP: "10.244.1.2",
    FrontendVIPs: ["10.96.0.77"],
    PortMappings: [{ Protocol: 6, InternalPort: 8080, ExternalPort: 80 }],
    Flags: 1,
    ...more,
  });
}

/** What is made of objects besides none. */
function made(objects: Partial<HnsObjects>): string[] {
  const pieces = linuxNetwork({ ...noHnsObjects(), ...objects }, machine);
  return pieces.flatMap(({ make }) => make);
}

const overlayMade = [
  "ip link add vxaaaaaaaa address 00:15:5d:01:02:03 mtu 1450 type vxlan id 4096 dstport 4789 nolearning",
  "ip link set vxaaaaaaaa up",
  "ip addr add 10.244.1.1/32 dev vxaaaaaaaa",
];

const rulesOf = (objects: Partial<HnsObjects>): string[] =>
  made(objects).flatMap(
    (line) =>
      line.match(/^nft add rule ip hns (?!arriving|own|forwarded|received)(.*)$/)?.slice(1) ?? [],
  );

describe("HNS' objects on Linux", () => {
  const rows: Readonly<Record<string, readonly [Partial<HnsObjects>, readonly string[]]>> = {
    nothing: [{}, []],
    "a network without a switch": [{ networks: [network("NAT")] }, []],
    "an overlay": [{ networks: [network("Overlay")] }, overlayMade],
    "an overlay with another port": [
      { networks: [network("Overlay", [policy("VxlanPort", { Port: 8472 })])] },
      [overlayMade[0]?.replace("4789", "8472") ?? "", ...overlayMade.slice(1)],
    ],
    "the way to another machine": [
      { networks: [network("Overlay", [policy("RemoteSubnetRoute", way)])] },
      [
        ...overlayMade,
        "bridge fdb append 66:01:02:03:04:05 dev vxaaaaaaaa dst 192.168.150.12 vni 4096",
        "ip neigh replace 10.244.2.0 lladdr 66:01:02:03:04:05 dev vxaaaaaaaa nud permanent",
        "ip route replace 10.244.2.0/24 via 10.244.2.0 dev vxaaaaaaaa onlink",
      ],
    ],
    "two ways to one machine, behind one entry": [
      {
        networks: [
          network("Overlay", [
            policy("RemoteSubnetRoute", way),
            policy("RemoteSubnetRoute", { ...way, DestinationPrefix: "10.244.3.0/24" }),
          ]),
        ],
      },
      [
        ...overlayMade,
        "bridge fdb append 66:01:02:03:04:05 dev vxaaaaaaaa dst 192.168.150.12 vni 4096",
        "ip neigh replace 10.244.2.0 lladdr 66:01:02:03:04:05 dev vxaaaaaaaa nud permanent",
        "ip route replace 10.244.2.0/24 via 10.244.2.0 dev vxaaaaaaaa onlink",
        "ip neigh replace 10.244.3.0 lladdr 66:01:02:03:04:05 dev vxaaaaaaaa nud permanent",
        "ip route replace 10.244.3.0/24 via 10.244.3.0 dev vxaaaaaaaa onlink",
      ],
    ],
    "a pod without endpoint": [
      { namespaces: [namespace] },
      ["ip netns add pod2", "ip -n pod2 link set lo up"],
    ],
    "the machine's own namespace": [
      { namespaces: [namespaceSchema.parse({ ...namespace, Type: "HostDefault" })] },
      [],
    ],
    "a pod on an overlay": [
      { networks: [network("Overlay")], namespaces: [namespace], endpoints: [endpoint(), remote] },
      [
        ...overlayMade,
        "ip netns add pod2",
        "ip -n pod2 link set lo up",
        "ip link add epbbbbbbbb mtu 1450 type veth peer name eth0 netns pod2 address 0e:2a:0a:f4:01:05 mtu 1450",
        "ip link set epbbbbbbbb up",
        "ip route replace 10.244.1.5/32 dev epbbbbbbbb",
        "ip -n pod2 addr add 10.244.1.5/32 dev eth0",
        "ip -n pod2 link set eth0 up",
        "ip -n pod2 route add 0.0.0.0/0 via 10.244.1.1 dev eth0 onlink",
      ],
    ],
    "a pod whose packets would come from another machine": [
      {
        networks: [network("Overlay")],
        namespaces: [namespace],
        endpoints: [
          endpoint({
            Policies: [policy("ProviderAddress", { ProviderAddress: "192.168.150.99" })],
          }),
        ],
      },
      [...overlayMade, "ip netns add pod2", "ip -n pod2 link set lo up"],
    ],
    "a pod on a bridge": [
      { networks: [network("L2Bridge")], namespaces: [namespace], endpoints: [endpoint()] },
      [
        "ip netns add pod2",
        "ip -n pod2 link set lo up",
        "ip link add epbbbbbbbb type veth peer name eth0 netns pod2 address 0e:2a:0a:f4:01:05",
        "ip link set epbbbbbbbb up",
        "ip route replace 10.244.1.5/32 dev epbbbbbbbb",
        "ip -n pod2 addr add 10.244.1.5/32 dev eth0",
        "ip -n pod2 link set eth0 up",
        "ip -n pod2 route add 0.0.0.0/0 via 10.244.1.1 dev eth0 onlink",
      ],
    ],
    "an endpoint in no namespace": [
      { networks: [network("L2Bridge")], endpoints: [endpoint({ HostComputeNamespace: "" })] },
      [],
    ],
  };
  for (const [name, [objects, expected]] of Object.entries(rows)) {
    it(`${name}: ${expected.length} commands`, () => {
      assert.deepEqual(made(objects), expected);
    });
  }

  const endpoints = [endpoint(), remote];
  const ruleRows: Readonly<Record<string, readonly [Partial<HnsObjects>, readonly string[]]>> = {
    "a Service": [
      { endpoints, loadBalancers: [balancer()] },
      [
        "balanced ip daddr 10.96.0.77 tcp dport 80 numgen random mod 2 == 0 dnat to 10.244.1.5:8080",
        "balanced ip daddr 10.96.0.77 tcp dport 80 numgen random mod 1 == 0 dnat to 10.244.2.5:8080",
        "leaving meta l4proto tcp ct status dnat ct original proto-dst 80 ct original ip daddr 10.96.0.77 fib saddr type local snat to 10.244.1.2",
      ],
    ],
    "a Service with session affinity": [
      {
        endpoints,
        loadBalancers: [
          balancer({
            PortMappings: [
              { Protocol: 17, InternalPort: 53, ExternalPort: 53, DistributionType: 1 },
            ],
          }),
        ],
      },
      [
        "balanced ip daddr 10.96.0.77 udp dport 53 jhash ip saddr mod 2 == 0 dnat to 10.244.1.5:53",
        "balanced ip daddr 10.96.0.77 udp dport 53 jhash ip saddr mod 2 == 1 dnat to 10.244.2.5:53",
        "leaving meta l4proto udp ct status dnat ct original proto-dst 53 ct original ip daddr 10.96.0.77 fib saddr type local snat to 10.244.1.2",
      ],
    ],
    "a NodePort of a network without source address": [
      {
        endpoints: [endpoint()],
        loadBalancers: [
          balancer({
            HostComputeEndpoints: [endpointId],
            FrontendVIPs: [],
            SourceVIP: "",
            PortMappings: [{ Protocol: 6, InternalPort: 8080, ExternalPort: 30080 }],
          }),
        ],
      },
      [
        "balanced fib daddr type local tcp dport 30080 numgen random mod 1 == 0 dnat to 10.244.1.5:8080",
        "leaving meta l4proto tcp ct status dnat ct original proto-dst 30080 fib daddr type != local masquerade",
      ],
    ],
    "OutBoundNAT with exceptions, of two policies": [
      {
        endpoints: [
          endpoint({
            Policies: [
              policy("OutBoundNAT", { Exceptions: ["10.244.0.0/16", "10.96.0.0/16"] }),
              policy("OutBoundNAT", { Exceptions: ["10.244.0.0/16", "10.244.1.0/24"] }),
            ],
          }),
        ],
      },
      [
        "leaving ip saddr 10.244.1.5 ct original ip daddr != 10.244.0.0/16 ct original ip daddr != 10.96.0.0/16 ct original ip daddr != 10.244.1.0/24 masquerade",
      ],
    ],
    "OutBoundNAT without exceptions": [
      { endpoints: [endpoint({ Policies: [policy("OutBoundNAT", {})] })] },
      ["leaving ip saddr 10.244.1.5 masquerade"],
    ],
    "OutBoundNAT of a pod that asks itself by a Service": [
      {
        endpoints: [
          endpoint({ Policies: [policy("OutBoundNAT", { Destinations: ["10.244.1.5"] })] }),
        ],
      },
      ["leaving ip saddr 10.244.1.5 ip daddr 10.244.1.5 masquerade"],
    ],
    "Felix' rules, by priority, as the first schema and as the second write them": [
      {
        endpoints: [
          endpoint({
            Policies: [
              policy("ACL", { Action: "Block", Direction: "In", Protocol: 256, Priority: 1001 }),
              policy("ACL", { Action: "Allow", Direction: "In", Protocol: 256, RuleType: "Host" }),
              policy("ACL", {
                ...{ Action: "Allow", Direction: "In", Protocol: 6, Priority: 1000 },
                ...{ RemoteAddresses: "10.244.2.5/32,10.244.3.0/24", LocalPorts: "80,8080-8090" },
              }),
              policy("ACL", {
                ...{ Action: "Allow", Direction: "Out", Protocols: "17", RemotePort: 53 },
                ...{ RemoteAddresses: "10.244.0.2", Priority: 1000 },
              }),
            ],
          }),
        ],
      },
      [
        "in ip daddr 10.244.1.5 ip saddr { 10.244.2.5/32, 10.244.3.0/24 } meta l4proto { 6 } th dport { 80, 8080-8090 } return",
        "out ip saddr 10.244.1.5 ip daddr { 10.244.0.2 } meta l4proto { 17 } th dport { 53 } return",
        "in ip daddr 10.244.1.5 drop",
      ],
    ],
    "a port of the machine": [
      {
        endpoints: [
          endpoint({
            Policies: [
              policy("PortMapping", { Protocol: 6, InternalPort: 8080, ExternalPort: 30001 }),
            ],
          }),
        ],
      },
      ["balanced fib daddr type local tcp dport 30001 dnat to 10.244.1.5:8080"],
    ],
  };
  for (const [name, [objects, expected]] of Object.entries(ruleRows)) {
    it(`${name}: ${expected.length} rules`, () => assert.deepEqual(rulesOf(objects), expected));
  }

  it("a way is made anew with its device", () => {
    const nameOf = (port: number): string | undefined => {
      const policies = [policy("VxlanPort", { Port: port }), policy("RemoteSubnetRoute", way)];
      const networks = [network("Overlay", policies)];
      return linuxNetwork({ ...noHnsObjects(), networks }, machine)[1]?.name;
    };
    assert.notEqual(nameOf(4789), nameOf(8472));
  });

  it("commands of one program and namespace run at once, in their order", () => {
    assert.deepEqual(
      batchesOf([
        "ip link add a",
        "ip link set a up",
        "ip -n pod2 addr add b",
        "bridge fdb append c",
        "ip link set d up",
        "nft add table ip hns",
      ]),
      [
        { program: "ip", args: ["-batch", "-"], lines: ["link add a", "link set a up"] },
        { program: "ip", args: ["-n", "pod2", "-batch", "-"], lines: ["addr add b"] },
        { program: "bridge", args: ["-batch", "-"], lines: ["fdb append c"] },
        { program: "ip", args: ["-batch", "-"], lines: ["link set d up"] },
        { program: "nft", args: ["-f", "-"], lines: ["add table ip hns"] },
      ],
    );
  });
});
