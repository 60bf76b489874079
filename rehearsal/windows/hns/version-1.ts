/**
 * HNSCall of vmcompute.dll: the same objects by paths, in the first version of the schema.
 *
 * Sources: https://github.com/microsoft/hcsshim at v0.13.0, internal/hns/ (paths, requests and answers), and
 * https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/hns.psm1.
 */
import * as z from "zod";
import { HnsError } from "./errors.ts";
import {
  type endpointSchema,
  gatewayOf,
  isSameId,
  type Endpoint,
  type LoadBalancer,
  type Namespace,
  type Network,
  networkSchema,
  remoteEndpoint,
  type SdnRoute,
  subnetsOf,
} from "./objects.ts";
import { fromFlat, type FlatPolicy, toFlat } from "./policies.ts";
import { type HostNetworkingService, parsedJson } from "./service.ts";

const text = z.string().default("");
const flatPolicies = z.array(z.looseObject({ Type: z.string() })).default([]);

const networkRequest = z.object({
  ID: text,
  Name: text,
  Type: z.string().default("NAT"),
  NetworkAdapterName: text,
  SourceMac: text,
  Policies: flatPolicies,
  MacPools: networkSchema.shape.MacPool.unwrap().shape.Ranges,
  Subnets: z
    .array(z.object({ AddressPrefix: z.string(), GatewayAddress: text, Policies: flatPolicies }))
    .default([]),
  DNSSuffix: text,
  DNSServerList: text,
  Flags: z.int().default(0),
});

const endpointRequest = z.object({
  ID: text,
  Name: text,
  VirtualNetwork: text,
  Policies: flatPolicies,
  MacAddress: text,
  IPAddress: text,
  PrefixLength: z.int().optional(),
  GatewayAddress: text,
  DNSSuffix: text,
  DNSServerList: text,
  IsRemoteEndpoint: z.boolean().default(false),
});

const attachRequest = z.object({ SystemType: text, ContainerId: z.string().optional() });
const resourceRequest = z.object({ Type: z.string(), Data: z.object({ Id: z.string() }) });
const namespaceRequest = z.object({ IsDefault: z.boolean().default(false) });
const policyListRequest = z.object({
  References: z.array(z.string()).default([]),
  Policies: flatPolicies,
});
const balancerPolicy = z.object({
  SourceVIP: text,
  VIPs: z.array(z.string()).default([]),
  Protocol: z.int().default(0),
  InternalPort: z.int().default(0),
  ExternalPort: z.int().default(0),
  ILB: z.boolean().default(false),
  IsDSR: z.boolean().default(false),
});
/** A list of accelerated networking's addresses, as hcsshim has it. */
const macList = z.object({
  MacAddressList: z.array(z.object({ MacAddress: z.string() })).default([]),
});

function read<Schema extends z.ZodType>(schema: Schema, json: unknown): z.infer<Schema> {
  const result = schema.safeParse(json);
  if (!result.success) throw new HnsError("HCN_E_INVALID_JSON");
  return result.data;
}

const list = (words: string): string[] => words.split(/[ ,]+/).filter((each) => each !== "");

const defaultRoute = (NextHop: string) =>
  NextHop === ""
    ? []
    : [{ NextHop, DestinationPrefix: NextHop.includes(":") ? "::/0" : "0.0.0.0/0" }];

const fromFlats = (policies: readonly FlatPolicy[]) => policies.map(fromFlat);

/** Whether settings are of the first schema: they name no version, and the second's properties are not there. */
function isVersion1(settings: unknown): boolean {
  return typeof settings === "object" && settings !== null && !("SchemaVersion" in settings);
}

/** The settings of a new network or endpoint, from either schema, in the second. */
export function inVersion2(kind: string, settings: unknown): unknown {
  if (!isVersion1(settings)) return settings;
  if (kind === "network") return networkFrom(settings);
  if (kind === "endpoint") return endpointFrom(settings);
  return settings;
}

function networkFrom(json: unknown): z.input<typeof networkSchema> {
  const wanted = read(networkRequest, json);
  const { ID, Name, Type, MacPools, Flags } = wanted;
  const named = (type: string, setting: string, value: string) =>
    value === "" ? [] : [{ Type: type, Settings: { [setting]: value } }];
  return {
    ...{ ID, Name, Type, Flags, MacPool: { Ranges: MacPools } },
    Policies: [
      ...fromFlats(wanted.Policies),
      ...named("NetAdapterName", "NetworkAdapterName", wanted.NetworkAdapterName),
      ...named("SourceMacAddress", "SourceMacAddress", wanted.SourceMac),
    ],
    Dns: { Domain: wanted.DNSSuffix, ServerList: list(wanted.DNSServerList) },
    Ipams:
      wanted.Subnets.length === 0
        ? []
        : [
            {
              Type: "Static",
              Subnets: wanted.Subnets.map(({ AddressPrefix, GatewayAddress, Policies }) => ({
                IpAddressPrefix: AddressPrefix,
                Policies: fromFlats(Policies),
                Routes: defaultRoute(GatewayAddress),
              })),
            },
          ],
  };
}

function endpointFrom(json: unknown): z.input<typeof endpointSchema> {
  const wanted = read(endpointRequest, json);
  const { ID, Name, MacAddress, IPAddress, PrefixLength } = wanted;
  return {
    ...{ ID, Name, MacAddress, HostComputeNetwork: wanted.VirtualNetwork },
    Policies: fromFlats(wanted.Policies),
    IpConfigurations: IPAddress === "" ? [] : [{ IpAddress: IPAddress, PrefixLength }],
    Routes: defaultRoute(wanted.GatewayAddress),
    Dns: { Domain: wanted.DNSSuffix, ServerList: list(wanted.DNSServerList) },
    Flags: wanted.IsRemoteEndpoint ? remoteEndpoint : 0,
  };
}

/** Settings of the policies of one type. */
const settingOf = ({ Policies }: Network, type: string, setting: string): unknown =>
  Policies.find(({ Type }) => Type === type)?.Settings[setting] ?? "";

function shownNetwork(hns: HostNetworkingService, network: Network): object {
  const { ID, Name, Type, MacPool, Dns, Flags } = network;
  const seen = hns.seenNetwork(network);
  return {
    ...{ ID, Name, Type, Flags, MacPools: MacPool.Ranges },
    NetworkAdapterName: settingOf(network, "NetAdapterName", "NetworkAdapterName"),
    SourceMac: settingOf(network, "SourceMacAddress", "SourceMacAddress"),
    Policies: seen.Policies.map(toFlat),
    Subnets: subnetsOf(network).map((subnet) => ({
      AddressPrefix: subnet.IpAddressPrefix,
      GatewayAddress: gatewayOf(subnet),
      Policies: subnet.Policies.map(toFlat),
    })),
    DNSSuffix: Dns.Domain ?? "",
    DNSServerList: (Dns.ServerList ?? []).join(","),
    // Calico waits until it is there (calico.psm1, Wait-ForManagementIP).
    ManagementIP: hns.managementAddress(network) || undefined,
    CurrentEndpointCount: hns.objects.endpoints.filter(({ HostComputeNetwork }) =>
      isSameId(HostComputeNetwork, ID),
    ).length,
    State: 1,
  };
}

/** States of an endpoint (hnsendpoint.go). */
const created = 1;
const attached = 2;

function shownEndpoint(hns: HostNetworkingService, endpoint: Endpoint): object {
  const { ID, Name, MacAddress, Dns, Flags, IpConfigurations, HostComputeNetwork } = endpoint;
  const [address] = IpConfigurations;
  const container = endpoint.Attached?.ContainerId;
  const isAttached = endpoint.Attached !== undefined || endpoint.HostComputeNamespace !== "";
  return {
    ...{ ID, Name, MacAddress, VirtualNetwork: HostComputeNetwork },
    VirtualNetworkName: hns.network(HostComputeNetwork).Name,
    Policies: endpoint.Policies.map(toFlat),
    ...(address && { IPAddress: address.IpAddress, PrefixLength: address.PrefixLength ?? 0 }),
    GatewayAddress: endpoint.Routes[0]?.NextHop ?? "",
    DNSSuffix: Dns.Domain ?? "",
    DNSServerList: (Dns.ServerList ?? []).join(","),
    IsRemoteEndpoint: (Flags & remoteEndpoint) !== 0,
    ...(endpoint.HostComputeNamespace !== "" && {
      Namespace: { ID: endpoint.HostComputeNamespace },
    }),
    SharedContainers: container === undefined ? [] : [container],
    State: isAttached ? attached : created,
  };
}

const references = (ids: readonly string[]) => ids.map((id) => `/endpoints/${id}`);

/** Flags of load balancers (hcnloadbalancer.go). */
const directServerReturn = 1;
const internalBalancing = 1;

function shownBalancer({ ID, HostComputeEndpoints, ...balancer }: LoadBalancer): object {
  const { SourceVIP, FrontendVIPs, PortMappings, Flags } = balancer;
  return {
    ID,
    References: references(HostComputeEndpoints),
    Policies: PortMappings.map(({ Protocol, InternalPort, ExternalPort, Flags: ofMapping }) => ({
      ...{ Type: "ELB", SourceVIP, VIPs: FrontendVIPs, Protocol, InternalPort, ExternalPort },
      ILB: (ofMapping & internalBalancing) !== 0,
      IsDSR: (Flags & directServerReturn) !== 0,
    })),
  };
}

function shownRoute({ ID, HostComputeEndpoints, Setting }: SdnRoute): object {
  return {
    ID,
    References: references(HostComputeEndpoints),
    Policies: Setting.map((each) => ({ Type: "ROUTE", ...each })),
  };
}

function shownNamespace(hns: HostNetworkingService, { ID, NamespaceId, Type }: Namespace): object {
  const isDefault = Type.endsWith("Default");
  return { ID, IsDefault: isDefault, CompartmentId: NamespaceId, ResourceList: hns.resources(ID) };
}

type Answer = (id: string, request: unknown) => unknown;

/** What each path answers, by its method; `*` stands for an id. */
function answers(hns: HostNetworkingService): Readonly<Record<string, Answer>> {
  const { objects } = hns;
  const network = (id: string) => shownNetwork(hns, hns.network(id));
  const endpoint = (id: string) => shownEndpoint(hns, hns.endpoint(id));
  const namespace = (id: string) => shownNamespace(hns, hns.namespace(id));
  const macs = () => ({
    MacAddressList: objects.managementMacs.map((MacAddress) => ({ MacAddress })),
  });
  const policyList = (id: string) => {
    const balancer = objects.loadBalancers.find(({ ID }) => isSameId(ID, id));
    return balancer ? shownBalancer(balancer) : shownRoute(hns.route(id));
  };
  const deleted = async (
    kind: Parameters<typeof hns.delete>[0],
    id: string,
    shown: unknown,
  ): Promise<unknown> => {
    await hns.delete(kind, id);
    return shown;
  };
  const setAttached = async (id: string, to: Endpoint["Attached"]): Promise<object> => {
    hns.endpoint(id).Attached = to;
    await hns.saved();
    return endpoint(id);
  };
  const resource = async (id: string, request: unknown, how: "attach" | "detach") => {
    const { Data } = read(resourceRequest, request);
    hns[how](id, Data.Id);
    await hns.saved();
    return namespace(id);
  };
  const [major, minor] = hns.version;
  return {
    "GET /globals/version": () => ({ Major: major, Minor: minor }),
    "GET /networks": () => objects.networks.map(({ ID }) => network(ID)),
    "GET /networks/*": network,
    "POST /networks": async (_, request) =>
      network(await hns.create("network", networkFrom(request))),
    "DELETE /networks/*": (id) => deleted("network", id, network(id)),
    "GET /endpoints": () => objects.endpoints.map(({ ID }) => endpoint(ID)),
    "GET /endpoints/*": endpoint,
    "POST /endpoints": async (_, request) =>
      endpoint(await hns.create("endpoint", endpointFrom(request))),
    // An update has the policies that it replaces.
    "POST /endpoints/*": async (id, request) => {
      const { Policies } = endpointFrom(request);
      const change = { ResourceType: "Policy", RequestType: "Update", Settings: { Policies } };
      await hns.modify("endpoint", id, change);
      return endpoint(id);
    },
    "DELETE /endpoints/*": (id) => deleted("endpoint", id, endpoint(id)),
    "POST /endpoints/*/attach": (id, request) => setAttached(id, read(attachRequest, request)),
    "POST /endpoints/*/detach": (id) => setAttached(id, undefined),
    "GET /endpointstats/*": (id) => ({
      ...{ EndpointId: hns.endpoint(id).ID, InstanceId: id },
      ...{ BytesReceived: 0, BytesSent: 0, PacketsReceived: 0, PacketsSent: 0 },
      ...{ DroppedPacketsIncoming: 0, DroppedPacketsOutgoing: 0 },
    }),
    "GET /namespaces": () => objects.namespaces.map(({ ID }) => namespace(ID)),
    "GET /namespaces/*": namespace,
    "POST /namespaces": async (_, request) => {
      const { IsDefault } = read(namespaceRequest, request);
      return namespace(await hns.create("namespace", { Type: IsDefault ? "HostDefault" : "Host" }));
    },
    "POST /namespaces/*/addresource": (id, request) => resource(id, request, "attach"),
    "POST /namespaces/*/removeresource": (id, request) => resource(id, request, "detach"),
    "DELETE /namespaces/*": (id) => deleted("namespace", id, namespace(id)),
    "GET /policylists": () => [
      ...objects.loadBalancers.map(shownBalancer),
      ...objects.routes.map(shownRoute),
    ],
    "GET /policylists/*": policyList,
    "POST /policylists": async (_, request) => policyList(await newPolicyList(hns, request)),
    "DELETE /policylists/*": (id) => {
      const isBalancer = objects.loadBalancers.some(({ ID }) => isSameId(ID, id));
      return deleted(isBalancer ? "loadBalancer" : "route", id, policyList(id));
    },
    "GET /accelnet": macs,
    "POST /accelnet": async (_, request) => {
      const { MacAddressList } = read(macList, request);
      objects.managementMacs = MacAddressList.map(({ MacAddress }) => MacAddress);
      await hns.saved();
      return macs();
    },
    "DELETE /accelnet": async () => {
      objects.managementMacs = [];
      await hns.saved();
      return macs();
    },
  };
}

async function newPolicyList(hns: HostNetworkingService, request: unknown): Promise<string> {
  const { References, Policies } = read(policyListRequest, request);
  const HostComputeEndpoints = References.map((reference) => reference.replace(/^.*\//, ""));
  const [policy, ...others] = Policies;
  if (policy === undefined || others.length > 0) throw new HnsError("HCN_E_INVALID_POLICY");
  const { Type, ...settings } = policy;
  if (Type === "ROUTE") {
    return hns.create("route", { HostComputeEndpoints, Setting: [settings] });
  }
  if (Type !== "ELB") throw new HnsError("HCN_E_INVALID_POLICY_TYPE");
  const { SourceVIP, VIPs, ILB, IsDSR, ...ports } = read(balancerPolicy, settings);
  return hns.create("loadBalancer", {
    ...{ HostComputeEndpoints, SourceVIP, FrontendVIPs: VIPs },
    PortMappings: [{ ...ports, Flags: ILB ? internalBalancing : 0 }],
    Flags: IsDSR ? directServerReturn : 0,
  });
}

/** Since which version HNS knows a path. */
const accelerated = /^\w+ \/accelnet/;

/**
 * Answers HNSCall.
 *
 * @returns the output. @throws HnsError. HCN_E_REQUEST_UNSUPPORTED is also that of what the model does not know.
 */
export async function answerCall(
  hns: HostNetworkingService,
  method: string,
  path: string,
  request: string,
): Promise<unknown> {
  const [root = "", id = "", ...rest] = path.split("/").filter((part) => part !== "");
  const fixed = root.toLowerCase() === "globals";
  const pattern = [root, ...(fixed ? [id] : id === "" ? [] : ["*"]), ...rest].join("/");
  const what = `${method.toUpperCase()} /${pattern.toLowerCase()}`;
  const answer = answers(hns)[what];
  const isKnown = !accelerated.test(what) || hns.isAtLeast([15, 4]);
  if (answer === undefined || !isKnown) throw new HnsError("HCN_E_REQUEST_UNSUPPORTED");
  return await answer(id, parsedJson(request));
}
