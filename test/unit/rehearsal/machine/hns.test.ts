import assert from "node:assert/strict";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";

import { HnsError, type HnsErrorName } from "../../../../rehearsal/windows/hns/errors.ts";
import type { HnsKind } from "../../../../rehearsal/windows/hns/objects.ts";
import { serveHns } from "../../../../rehearsal/windows/hns/serve.ts";
import type { HostNetworkingService } from "../../../../rehearsal/windows/hns/service.ts";
import { answerCall } from "../../../../rehearsal/windows/hns/version-1.ts";
import { networkNames } from "./machine-listing.ts";
import { holdWait, hostFor, runText } from "./step-runner.ts";

/** The id of nothing. */
const missing = "5F0B1190-63BE-4E0C-B974-BD0F55675A42";

const vsid = (IsolationId: number) => ({ Type: "VSID", Settings: { IsolationId } });

/** A network of HCN's schema with the subnet 10.244.1.0/24. */
const network = (Name: string, Type = "Overlay", Policies = [vsid(4096)]): object => ({
  Name,
  Type,
  Ipams: [
    {
      Subnets: [
        {
          IpAddressPrefix: "10.244.1.0/24",
          Routes: [{ NextHop: "10.244.1.1", DestinationPrefix: "0.0.0.0/0" }],
          Policies,
        },
      ],
    },
  ],
});

const at = (IpAddress: string, more: object = {}): object => ({
  IpConfigurations: [{ IpAddress }],
  ...more,
});

const balancer = (HostComputeEndpoints: readonly string[], ExternalPort = 80): object => ({
  HostComputeEndpoints,
  FrontendVIPs: ["10.96.0.10"],
  PortMappings: [{ Protocol: 6, InternalPort: 8080, ExternalPort }],
});

const policy = (RequestType: string, Type: string, Settings: object): object => ({
  ResourceType: "Policy",
  RequestType,
  Settings: { Policies: [{ Type, Settings }] },
});

const toNode = {
  DestinationPrefix: "10.244.2.0/24",
  IsolationId: 4096,
  ProviderAddress: "192.168.150.12",
  DistributedRouterMacAddress: "00-15-5D-01-02-03",
};

describe("The Host Networking Service, modelled", () => {
  const machine = hostFor("each", "Confirm-Reboot");
  let hns: HostNetworkingService;
  let calico: string;
  let pod: string;

  beforeEach(async () => {
    ({ hns } = machine.windows);
    calico = await hns.create("network", network("Calico"));
    pod = await hns.create("endpoint", at("10.244.1.5"), { network: calico });
    await hns.create("loadBalancer", balancer([pod]));
  });

  const queried = <Item>(kind: HnsKind, id: string): Item => hns.query(kind, id) as Item;
  const refused = (run: () => unknown, reason: HnsErrorName): Promise<void> =>
    assert.rejects(
      async () => void (await run()),
      (error) => error instanceof HnsError && error.reason === reason,
    );

  type Call = () => Promise<unknown>;
  const endpoint = (settings: object): Call => {
    return () => hns.create("endpoint", settings, { network: calico });
  };
  const make = (kind: HnsKind, settings: object): Call => {
    return () => hns.create(kind, settings);
  };
  const refusals: readonly (readonly [what: string, reason: HnsErrorName, run: Call])[] = [
    ["a network's name twice", "HCN_E_NETWORK_ALREADY_EXISTS", make("network", network("calico"))],
    ["an unknown type", "HCN_E_INVALID_NETWORK_TYPE", make("network", network("a", "Bridge"))],
    [
      "another type on the adapter",
      "HCN_E_ADAPTER_NOT_FOUND",
      make("network", network("cbr0", "L2Bridge")),
    ],
    [
      "a VNI below 4096",
      "ERROR_INVALID_PARAMETER",
      make("network", network("a", "Overlay", [vsid(4095)])),
    ],
    [
      "an overlay without VNI",
      "ERROR_INVALID_PARAMETER",
      make("network", network("a", "Overlay", [])),
    ],
    ["what is no network", "HCN_E_INVALID_JSON", make("network", { Name: 7 })],
    ["an address outside the subnet", "HCN_E_INVALID_IP", endpoint(at("10.244.2.5"))],
    ["the gateway's address", "HCN_E_ADDR_INVALID_OR_RESERVED", endpoint(at("10.244.1.1"))],
    ["the broadcast address", "HCN_E_ADDR_INVALID_OR_RESERVED", endpoint(at("10.244.1.255"))],
    ["an address twice", "HCN_E_ADDR_INVALID_OR_RESERVED", endpoint(at("10.244.1.5"))],
    [
      "an unknown policy",
      "HCN_E_INVALID_POLICY_TYPE",
      endpoint(at("10.244.1.6", { Policies: [{ Type: "Nat" }] })),
    ],
    [
      "a backend that is not there",
      "HCN_E_ENDPOINT_NOT_FOUND",
      make("loadBalancer", balancer([missing], 81)),
    ],
    [
      "a frontend twice",
      "HCN_E_PORT_ALREADY_EXISTS",
      () => hns.create("loadBalancer", balancer([pod])),
    ],
    [
      "a route to a subnet without its MAC address",
      "HCN_E_INVALID_POLICY",
      () => {
        const { DistributedRouterMacAddress, ...incomplete } = toNode;
        assert.ok(DistributedRouterMacAddress);
        return hns.modify("network", calico, policy("Add", "RemoteSubnetRoute", incomplete));
      },
    ],
    [
      "to remove a route that is not there",
      "HCN_E_POLICY_NOT_FOUND",
      () => hns.modify("network", calico, policy("Remove", "RemoteSubnetRoute", toNode)),
    ],
    [
      "an endpoint that is not there",
      "HCN_E_ENDPOINT_NOT_FOUND",
      () => hns.delete("endpoint", missing),
    ],
    ["an endpoint of no network", "HCN_E_NETWORK_NOT_FOUND", make("endpoint", at("10.244.1.6"))],
    ["an unknown path", "HCN_E_REQUEST_UNSUPPORTED", () => answerCall(hns, "GET", "/plugins", "")],
  ];
  for (const [what, reason, run] of refusals) {
    it(`refuses ${what}: ${reason}`, async () => {
      const before = JSON.stringify(hns.objects);
      await refused(run, reason);
      assert.equal(JSON.stringify(hns.objects), before);
    });
  }

  it("has one set of objects for scripts and for programs", async () => {
    const names =
      "(Get-HnsNetwork).Name; (Get-HnsEndpoint).IPAddress; (Get-HnsPolicyList).Policies[0].VIPs[0]";
    assert.equal(await runText(machine, [], names), "Calico\n10.244.1.5\n10.96.0.10\n");
    await runText(
      machine,
      [],
      "Get-HnsPolicyList | Remove-HnsPolicyList; Get-HnsNetwork | Remove-HnsNetwork",
    );
    assert.deepEqual(hns.enumerate("endpoint", ""), []);
    await refused(() => hns.query("network", calico), "HCN_E_NETWORK_NOT_FOUND");
  });

  it("names the machine's address on an overlay's switch once that is there", async () => {
    type Network = { Policies: { Type: string; Settings: Record<string, unknown> }[] };
    const provider = (): unknown =>
      queried<Network>("network", calico).Policies.find(({ Type }) => Type === "ProviderAddress")
        ?.Settings["ProviderAddress"];
    const { windows, time } = machine;
    await hns.delete("network", calico);
    const switching = holdWait(time, 4);
    calico = await hns.create("network", network("Calico"));
    assert.equal(provider(), undefined);
    switching.end();
    await windows.time.busy(() => windows.sleep(10));
    assert.equal(provider(), "192.168.150.11");
  });

  it("gives an endpoint without an address the next that is free", async () => {
    type Endpoint = { IpConfigurations: { IpAddress: string }[] };
    const addresses: string[] = [];
    for (let each = 0; each < 4; each++) {
      const id = await hns.create("endpoint", {}, { network: calico });
      addresses.push(queried<Endpoint>("endpoint", id).IpConfigurations[0]?.IpAddress ?? "");
    }
    assert.deepEqual(addresses, ["10.244.1.2", "10.244.1.3", "10.244.1.4", "10.244.1.6"]);
  });

  it("an endpoint takes a load balancer with it that has no other", async () => {
    await hns.delete("endpoint", pod);
    assert.deepEqual(hns.enumerate("loadBalancer", ""), []);
  });

  it("after a restart of the service, and of Windows, only persistent networks are left", async () => {
    const temporary = { ...network("nat", "NAT", []), Flags: 8 };
    await hns.create("network", temporary);
    await hns.stop();
    await refused(() => hns.query("network", calico), "RPC_S_SERVER_UNAVAILABLE");
    await hns.start();
    assert.deepEqual(networkNames(machine.windows), ["Calico"]);
    assert.deepEqual([hns.objects.endpoints, hns.objects.loadBalancers], [[], []]);

    await hns.create("endpoint", at("10.244.1.5"), { network: calico });
    await hns.create("network", temporary);
    await machine.programs.reboot(0);
    await machine.up();
    assert.deepEqual(networkNames(machine.windows), ["Calico"]);
    assert.deepEqual(machine.windows.hns.objects.endpoints, []);
  });

  it("answers a program, also about its own mistakes", async () => {
    const server = await serveHns(hns, () => undefined, 0);
    const { port } = server.address() as AddressInfo;
    const ask = async (...fields: readonly string[]): Promise<string> => {
      const socket = connect(port, "127.0.0.1");
      socket.end(`${fields.join("\x1f")}\0`);
      return text(socket);
    };
    try {
      assert.equal(
        await ask("enumerate", "network", "", "", '{"Filter":"{\\"Name\\":\\"Calico\\"}"}'),
        `0\x1f["${calico}"]\0`,
      );
      assert.equal(
        await ask("call", "GET", "/globals/version", "", ""),
        '0\x1f{"Success":true,"Output":{"Major":13,"Minor":3}}\0',
      );
      assert.equal(
        await ask("open", "endpoint", missing, "", ""),
        '803b0002\x1f{"Success":false,"Error":"The endpoint was not found. ","ErrorCode":2151350274}\0',
      );
    } finally {
      server.close();
    }
  });
});
