/**
 * The Host Networking Service: one set of networks, endpoints, namespaces, load balancers and routes, whoever asks for
 * them: scripts, programs by computenetwork.dll, or either by vmcompute.dll (version-1.ts).
 *
 * Sources: https://github.com/microsoft/hcsshim at v0.13.0, hcn/ (what the calls take and return; its own tests judge this
 * model: test/windows-binaries/hns.test.ts), and the reports that the refusals name.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { BlockList, isIP } from "node:net";
import * as z from "zod";
import type { WindowsPrograms } from "../../machine/programs.ts";
import type { SavedState } from "../../machine/state.ts";
import type { WindowsVersion } from "../../machine/windows-version.ts";
import { HnsError } from "./errors.ts";
import {
  endpointSchema,
  gatewayOf,
  hnsKinds,
  isSameId,
  loadBalancerSchema,
  namespaceSchema,
  networkSchema,
  nonPersistent,
  remoteEndpoint,
  routeSchema,
  subnetsOf,
  type Endpoint,
  type HnsKind,
  type HnsObjects,
  type LoadBalancer,
  type Namespace,
  type Network,
  type Policy,
  type SdnRoute,
  type Subnet,
} from "./objects.ts";
import {
  checkedPolicies,
  endpointPolicies,
  type HnsVersion,
  isAtLeast,
  isPolicy,
  networkPolicies,
} from "./policies.ts";

/** Network types, as HNS writes them, and whether they put a switch on the machine's adapter. */
const networkTypes = {
  NAT: false,
  ICS: false,
  Internal: false,
  Private: false,
  Overlay: true,
  L2Bridge: true,
  L2Tunnel: true,
  Transparent: true,
} as const;

/**
 * HNS' version by the build of Windows. hcn/hcnglobals.go has the versions that brought features: 2019 is 9, Server 2022
 * has SetPolicy (13.0), L4WfpProxy (13.2) and no TierAcl (14.0), Server 2025 has ModifyLoadbalancer (15.4). The minor
 * numbers are not known from a real Windows.
 */
const versions: readonly (readonly [leastBuild: number, version: HnsVersion])[] = [
  [26100, [15, 4]],
  [20348, [13, 3]],
  [0, [9, 5]],
];

/** Windows reserves VSIDs below 4096 (flannel, Documentation/backends.md: VNI). */
const leastVsid = 4096;

/** The compartment after the machine's own. */
const firstCompartment = 2;

const modifyRequestSchema = z.object({
  ResourceType: z.string(),
  RequestType: z.string(),
  Settings: z.record(z.string(), z.unknown()).default({}),
});
const policiesSchema = z.object({ Policies: endpointSchema.shape.Policies });

/** The words that hold an id in what a program gives for a new object; all zeros is none. */
const hasId = (id: string): boolean => /[1-9a-f]/i.test(id);

const newId = (): string => randomUUID().toUpperCase();

function newMac(): string {
  const bytes = [...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, "0"));
  return ["00-15-5D", ...bytes].join("-").toUpperCase();
}

/** @throws HnsError if the settings are no such object. */
function parsed<Schema extends z.ZodType>(schema: Schema, settings: unknown): z.infer<Schema> {
  const result = schema.safeParse(settings);
  if (!result.success) throw new HnsError("HCN_E_INVALID_JSON");
  return result.data;
}

/** @throws HnsError if the text is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw new HnsError("HCN_E_INVALID_JSON");
  }
}

/** What HNS needs of its machine. */
interface NetworkedMachine extends SavedState {
  readonly version: Pick<WindowsVersion, "build">;
  readonly programs: Pick<WindowsPrograms, "setFurtherAddresses">;
  readonly managementAddress: string;
  followNetwork(): Promise<void>;
  putSwitchOnAdapter(): void;
}

export class HostNetworkingService {
  /** Whether the service hns runs. */
  isRunning = true;

  constructor(private readonly machine: NetworkedMachine) {}

  get version(): HnsVersion {
    const { build } = this.machine.version;
    return versions.find(([least]) => build >= least)?.[1] ?? [0, 0];
  }

  /** The objects themselves. Only HNS exists with the feature Containers. @throws HnsError if HNS does not answer. */
  get objects(): HnsObjects {
    const { features, hns } = this.machine.state;
    if (!this.isRunning || features.Containers !== "Installed") {
      throw new HnsError("RPC_S_SERVER_UNAVAILABLE");
    }
    return hns;
  }

  /** Whether a network's switch is on the machine's adapter. */
  get hasSwitch(): boolean {
    return this.machine.state.hns.networks.some(({ Type }) => isExternal(Type));
  }

  /**
   * What is left after a restart of HNS or of Windows: persistent networks. Endpoints are gone (projectcalico/calico#5164).
   * That the rest is, too, is an assumption: newer versions may restore load balancers (kubernetes/kubernetes#139519).
   */
  forget(): void {
    const { hns } = this.machine.state;
    hns.networks = hns.networks.filter(({ Flags }) => (Flags & nonPersistent) === 0);
    hns.endpoints = [];
    hns.namespaces = [];
    hns.loadBalancers = [];
    hns.routes = [];
  }

  /** Ends the service hns. Programs wait in vain for it until it is started. */
  async stop(): Promise<void> {
    this.isRunning = false;
    this.forget();
    await this.saved();
  }

  start(): Promise<void> {
    this.isRunning = true;
    return Promise.resolve();
  }

  network(id: string): Network {
    return found(this.objects.networks, id, "HCN_E_NETWORK_NOT_FOUND");
  }

  endpoint(id: string): Endpoint {
    return found(this.objects.endpoints, id, "HCN_E_ENDPOINT_NOT_FOUND");
  }

  namespace(id: string): Namespace {
    // hcsshim's TestNotFoundError.
    return found(this.objects.namespaces, id, "ERROR_NOT_FOUND");
  }

  loadBalancer(id: string): LoadBalancer {
    return found(this.objects.loadBalancers, id, "ERROR_NOT_FOUND");
  }

  route(id: string): SdnRoute {
    return found(this.objects.routes, id, "ERROR_NOT_FOUND");
  }

  isAtLeast(version: HnsVersion): boolean {
    return isAtLeast(this.version, version);
  }

  /** Saves a change, and has the machine follow it. */
  async saved(): Promise<void> {
    await this.follow();
    await this.machine.save();
  }

  /** Endpoints in the machine's own compartment are adapters of the machine; the others' packets arrive, too. */
  async follow(): Promise<void> {
    const { programs, state } = this.machine;
    const own = state.hns.endpoints.filter(
      ({ Attached, Flags }) =>
        isSameId(Attached?.SystemType ?? "", "Host") && Flags !== remoteEndpoint,
    );
    await programs.setFurtherAddresses(
      own.flatMap(({ IpConfigurations }) => IpConfigurations.map(({ IpAddress }) => IpAddress)),
    );
    await this.machine.followNetwork();
  }

  /** Address of the machine on a network's switch; "" while the switch is being made, or if the network has none. */
  managementAddress({ Type }: Network): string {
    return isExternal(Type) ? this.machine.managementAddress : "";
  }

  /** A network with the policies that HNS itself adds. */
  seenNetwork(network: Network): Network {
    const address = this.managementAddress(network);
    if (network.Type !== "Overlay" || address === "") return network;
    const provider = { Type: "ProviderAddress", Settings: { ProviderAddress: address } };
    return { ...network, Policies: [...network.Policies, provider] };
  }

  /** An object as HCN shows it. */
  query(kind: HnsKind, id: string): unknown {
    const SchemaVersion = { Major: 2, Minor: 0 };
    switch (kind) {
      case "network":
        return { ...this.seenNetwork(this.network(id)), SchemaVersion };
      case "endpoint": {
        return { ...this.endpoint(id), Attached: undefined, SchemaVersion };
      }
      case "namespace":
        return { ...this.namespace(id), Resources: this.resources(id), SchemaVersion };
      case "loadBalancer":
        return { ...this.loadBalancer(id), SchemaVersion };
      case "route":
        return { ...this.route(id), SchemaVersion };
    }
  }

  /** The endpoints in a namespace. */
  resources(namespace: string): { Type: "Endpoint"; Data: { Id: string } }[] {
    return this.objects.endpoints
      .filter(({ HostComputeNamespace }) => isSameId(HostComputeNamespace, namespace))
      .map(({ ID }) => ({ Type: "Endpoint", Data: { Id: ID } }));
  }

  /** Ids of the objects that a query's filter names by properties. */
  enumerate(kind: HnsKind, query: string): string[] {
    const { Filter } = parsed(
      z.object({ Filter: z.union([z.string(), z.record(z.string(), z.string())]).default("") }),
      parsedJson(query),
    );
    const wanted = parsed(
      z.record(z.string(), z.string()),
      typeof Filter === "string" ? parsedJson(Filter) : Filter,
    );
    return this.#all(kind)
      .filter((object) =>
        Object.entries(wanted).every(([name, value]) => {
          // Programs also filter by the first schema's name.
          const property = name === "VirtualNetwork" ? "HostComputeNetwork" : name;
          const has = (object as Readonly<Record<string, unknown>>)[property];
          if (typeof has !== "string") return false;
          return property === "Name" ? has === value : isSameId(has, value);
        }),
      )
      .map(({ ID }) => ID);
  }

  #all(kind: HnsKind): readonly { readonly ID: string }[] {
    return this.objects[`${kind}s`];
  }

  /** @returns the new object's id. */
  async create(
    kind: HnsKind,
    settings: unknown,
    given: { readonly id?: string; readonly network?: string } = {},
  ): Promise<string> {
    const { objects } = this;
    const idOf = ({ ID }: { readonly ID: string }): string =>
      [ID, given.id ?? ""].find(hasId)?.toUpperCase() ?? newId();
    const add = <Made extends { readonly ID: string }>(to: Made[], made: Made): string => {
      const id = idOf(made);
      to.push({ ...made, ID: id });
      return id;
    };
    let id: string;
    switch (kind) {
      case "network": {
        const network = this.#newNetwork(parsed(networkSchema, settings));
        const cutsOff = isExternal(network.Type) && !this.hasSwitch;
        id = add(objects.networks, network);
        if (cutsOff) {
          await this.machine.save();
          this.machine.putSwitchOnAdapter();
        }
        break;
      }
      case "endpoint": {
        const endpoint = this.#newEndpoint(parsed(endpointSchema, settings), given.network ?? "");
        id = add(objects.endpoints, endpoint);
        break;
      }
      case "namespace": {
        const namespace = this.#newNamespace(parsed(namespaceSchema, settings));
        id = add(objects.namespaces, namespace);
        break;
      }
      case "loadBalancer": {
        const balancer = this.#checkedLoadBalancer(parsed(loadBalancerSchema, settings), "");
        id = add(objects.loadBalancers, balancer);
        break;
      }
      case "route": {
        const route = this.#newRoute(parsed(routeSchema, settings));
        id = add(objects.routes, route);
        break;
      }
    }
    await this.saved();
    return id;
  }

  #newNetwork(wanted: Network): Network {
    const Type = typeOf(wanted.Type);
    const { networks } = this.objects;
    // microsoft/hcsshim#850
    if (networks.some(({ Name }) => Name.toUpperCase() === wanted.Name.toUpperCase())) {
      throw new HnsError("HCN_E_NETWORK_ALREADY_EXISTS");
    }
    // A switch of one type hides the adapter from the others (moby/moby#41094, docker/for-win#750).
    const others = networks.filter((each) => isExternal(each.Type) && each.Type !== Type);
    if (isExternal(Type) && others.length > 0) throw new HnsError("HCN_E_ADAPTER_NOT_FOUND");
    const Policies = checkedPolicies(wanted.Policies, networkPolicies, this.version);
    for (const { Type: policy, Settings } of Policies) {
      // HNS takes no virtual adapter of a switch.
      if (
        policy === "NetAdapterName" &&
        /^vEthernet \(/.test(String(Settings["NetworkAdapterName"]))
      ) {
        throw new HnsError("HCN_E_ADAPTER_NOT_FOUND");
      }
    }
    const isGiven = wanted.Ipams.some(({ Subnets }) => Subnets.length > 0);
    const network = {
      ...wanted,
      Type,
      Policies,
      Ipams: isGiven || Type !== "NAT" ? wanted.Ipams : [{ Type: "Static", Subnets: [natSubnet] }],
    };
    for (const subnet of subnetsOf(network)) checkSubnet(subnet, Type);
    if (Type === "Overlay" && !Policies.some((policy) => policy.Type === "DrMacAddress")) {
      // Different on each machine, as its packets carry it.
      Policies.push({ Type: "DrMacAddress", Settings: { Address: newMac() } });
    }
    return network;
  }

  #newEndpoint(wanted: Endpoint, networkId: string): Endpoint {
    const network = this.network(networkId || wanted.HostComputeNetwork);
    const Policies = checkedPolicies(wanted.Policies, endpointPolicies, this.version);
    const isTaken = (mapping: Policy) =>
      this.objects.endpoints.some((each) =>
        each.Policies.some((other) => isSamePort(other, mapping)),
      );
    // hcsshim's TestEndpointAlreadyExistsError.
    if (Policies.some(isTaken)) throw new HnsError("HCN_E_PORT_ALREADY_EXISTS");
    const endpoint = {
      ...wanted,
      HostComputeNetwork: network.ID,
      Policies,
      MacAddress: wanted.MacAddress || newMac(),
    };
    if ((wanted.Flags & remoteEndpoint) !== 0) return endpoint;
    const subnets = subnetsOf(network);
    if (subnets.length === 0) return endpoint;
    const configured =
      wanted.IpConfigurations.length > 0 ? wanted.IpConfigurations : [{ IpAddress: "" }];
    const taken: string[] = [];
    const IpConfigurations = configured.map(({ IpAddress, PrefixLength }) => {
      const address = IpAddress || this.#freeAddress(network, taken);
      taken.push(address);
      const subnet = subnets.find((each) => isWithin(address, each.IpAddressPrefix));
      if (subnet === undefined) throw new HnsError("HCN_E_INVALID_IP");
      if (!this.#isFree(network, subnet, address)) {
        // kubernetes-sigs/sig-windows-tools#71
        throw new HnsError("HCN_E_ADDR_INVALID_OR_RESERVED");
      }
      return {
        IpAddress: address,
        PrefixLength: PrefixLength ?? Number(subnet.IpAddressPrefix.replace(/^.*\//, "")),
      };
    });
    const gateways = subnets.map(gatewayOf).filter((gateway) => gateway !== "");
    const Routes =
      wanted.Routes.length > 0
        ? wanted.Routes
        : gateways.map((NextHop) => ({
            NextHop,
            DestinationPrefix: isIP(NextHop) === 6 ? "::/0" : "0.0.0.0/0",
          }));
    return { ...endpoint, IpConfigurations, Routes };
  }

  /** Whether an address of the subnet is nobody's and not reserved. Remote endpoints do not count: Windows has both. */
  #isFree(network: Network, subnet: Subnet, address: string): boolean {
    return (
      address !== gatewayOf(subnet) &&
      !edges(subnet.IpAddressPrefix).includes(address) &&
      !this.objects.endpoints.some(
        (each) =>
          isSameId(each.HostComputeNetwork, network.ID) &&
          (each.Flags & remoteEndpoint) === 0 &&
          each.IpConfigurations.some(({ IpAddress }) => IpAddress === address),
      )
    );
  }

  #freeAddress(network: Network, taken: readonly string[]): string {
    for (const subnet of subnetsOf(network).filter((each) => isIP(base(each)) === 4)) {
      const first = toNumber(base(subnet)) + 2;
      for (let number = first; isWithin(toAddress(number), subnet.IpAddressPrefix); number++) {
        const address = toAddress(number);
        if (!taken.includes(address) && this.#isFree(network, subnet, address)) return address;
      }
    }
    throw new HnsError("HCN_E_ADDR_INVALID_OR_RESERVED");
  }

  #newNamespace(wanted: Namespace): Namespace {
    const isThere = this.objects.namespaces.some(({ Type }) => Type === wanted.Type);
    if (wanted.Type.endsWith("Default") && isThere) {
      throw new HnsError("GCN_E_DEFAULTNAMESPACE_EXISTS");
    }
    const numbers = this.objects.namespaces.map(({ NamespaceId }) => NamespaceId);
    let free = firstCompartment;
    while (numbers.includes(free)) free += 1;
    return { ...wanted, NamespaceId: wanted.NamespaceId || free };
  }

  #checkedLoadBalancer(wanted: LoadBalancer, replaced: string): LoadBalancer {
    for (const id of wanted.HostComputeEndpoints) this.endpoint(id);
    const others = this.objects.loadBalancers.filter(({ ID }) => !isSameId(ID, replaced));
    // kubernetes/kubernetes#137530
    if (others.some((other) => isSameFrontend(other, wanted))) {
      throw new HnsError("HCN_E_PORT_ALREADY_EXISTS");
    }
    return wanted;
  }

  #newRoute(wanted: SdnRoute): SdnRoute {
    for (const id of wanted.HostComputeEndpoints) this.endpoint(id);
    if (wanted.Setting.some(({ DestinationPrefix }) => typeof DestinationPrefix !== "string")) {
      throw new HnsError("HCN_E_INVALID_POLICY");
    }
    return wanted;
  }

  async modify(kind: HnsKind, id: string, settings: unknown): Promise<void> {
    switch (kind) {
      case "network":
        this.#modifyNetwork(this.network(id), settings);
        break;
      case "endpoint":
        this.#modifyEndpoint(this.endpoint(id), settings);
        break;
      case "namespace":
        this.#modifyNamespace(this.namespace(id), settings);
        break;
      case "loadBalancer": {
        const balancer = this.loadBalancer(id);
        if (!this.isAtLeast([15, 4])) throw new HnsError("HCN_E_REQUEST_UNSUPPORTED");
        const wanted = parsed(loadBalancerSchema, settings);
        Object.assign(balancer, this.#checkedLoadBalancer(wanted, balancer.ID), {
          ID: balancer.ID,
        });
        break;
      }
      case "route":
        throw new HnsError("HCN_E_REQUEST_UNSUPPORTED");
    }
    await this.saved();
  }

  #modifyNetwork(network: Network, settings: unknown): void {
    const { ResourceType, RequestType, Settings } = parsed(modifyRequestSchema, settings);
    if (ResourceType !== "Policy") throw new HnsError("HCN_E_REQUEST_UNSUPPORTED");
    const given = parsed(policiesSchema, Settings).Policies;
    const policies = checkedPolicies(given, networkPolicies, this.version);
    const isMisplaced = ({ Type }: Policy) =>
      ["RemoteSubnetRoute", "VxlanPort"].includes(Type) && network.Type !== "Overlay";
    if (policies.some(isMisplaced)) throw new HnsError("HCN_E_INVALID_POLICY");
    network.Policies = changedPolicies(network.Policies, RequestType, policies);
  }

  #modifyEndpoint(endpoint: Endpoint, settings: unknown): void {
    const { ResourceType, RequestType, Settings } = parsed(modifyRequestSchema, settings);
    if (ResourceType !== "Policy") throw new HnsError("HCN_E_REQUEST_UNSUPPORTED");
    const given = parsed(policiesSchema, Settings).Policies;
    const policies = checkedPolicies(given, endpointPolicies, this.version);
    endpoint.Policies = changedPolicies(endpoint.Policies, RequestType, policies);
  }

  #modifyNamespace(namespace: Namespace, settings: unknown): void {
    const { ResourceType, RequestType, Settings } = parsed(modifyRequestSchema, settings);
    if (ResourceType !== "Endpoint") throw new HnsError("HCN_E_REQUEST_UNSUPPORTED");
    const { EndpointId } = parsed(z.object({ EndpointId: z.string() }), Settings);
    if (RequestType === "Add") this.attach(namespace.ID, EndpointId);
    else if (RequestType === "Remove") this.detach(namespace.ID, EndpointId);
    else throw new HnsError("HCN_E_REQUEST_UNSUPPORTED");
  }

  attach(namespace: string, endpointId: string): void {
    const endpoint = this.endpoint(endpointId);
    const { HostComputeNamespace: present } = endpoint;
    if (present !== "" && !isSameId(present, namespace)) {
      throw new HnsError("HCN_E_ENDPOINT_NAMESPACE_ALREADY_EXISTS");
    }
    endpoint.HostComputeNamespace = this.namespace(namespace).ID;
  }

  detach(namespace: string, endpointId: string): void {
    const endpoint = this.endpoint(endpointId);
    if (!isSameId(endpoint.HostComputeNamespace, namespace)) throw new HnsError("ERROR_NOT_FOUND");
    endpoint.HostComputeNamespace = "";
  }

  async delete(kind: HnsKind, id: string): Promise<void> {
    const { objects } = this;
    this.query(kind, id); // throws if there is none
    const isOther = ({ ID }: { readonly ID: string }) => !isSameId(ID, id);
    switch (kind) {
      case "network":
        objects.networks = objects.networks.filter(isOther);
        this.#dropEndpoints((endpoint) => isSameId(endpoint.HostComputeNetwork, id));
        break;
      case "endpoint":
        this.#dropEndpoints(({ ID }) => isSameId(ID, id));
        break;
      case "namespace":
        for (const { Data } of this.resources(id)) this.detach(id, Data.Id);
        objects.namespaces = objects.namespaces.filter(isOther);
        break;
      case "loadBalancer":
        objects.loadBalancers = objects.loadBalancers.filter(isOther);
        break;
      case "route":
        objects.routes = objects.routes.filter(isOther);
        break;
    }
    await this.saved();
  }

  /** Removes endpoints, also from load balancers and routes. Those that then have none are gone, too. */
  #dropEndpoints(isDropped: (endpoint: Endpoint) => boolean): void {
    const { objects } = this;
    const dropped = objects.endpoints.filter(isDropped).map(({ ID }) => ID);
    objects.endpoints = objects.endpoints.filter(({ ID }) => !dropped.includes(ID));
    const without = <Holder extends { HostComputeEndpoints: string[] }>(
      holders: readonly Holder[],
    ): Holder[] =>
      holders.flatMap((holder) => {
        const HostComputeEndpoints = holder.HostComputeEndpoints.filter(
          (id) => !dropped.some((each) => isSameId(each, id)),
        );
        const hasLost = HostComputeEndpoints.length < holder.HostComputeEndpoints.length;
        return hasLost && HostComputeEndpoints.length === 0
          ? []
          : [{ ...holder, HostComputeEndpoints }];
      });
    objects.loadBalancers = without(objects.loadBalancers);
    objects.routes = without(objects.routes);
  }
}

export const isHnsKind = (text: string): text is HnsKind =>
  (hnsKinds as readonly string[]).includes(text);

function found<Item extends { readonly ID: string }>(
  items: readonly Item[],
  id: string,
  otherwise: ConstructorParameters<typeof HnsError>[0],
): Item {
  const item = items.find(({ ID }) => isSameId(ID, id));
  if (item === undefined) throw new HnsError(otherwise);
  return item;
}

function typeOf(text: string): keyof typeof networkTypes {
  const names = Object.keys(networkTypes) as (keyof typeof networkTypes)[];
  const type = names.find((each) => each.toUpperCase() === text.toUpperCase());
  if (type === undefined) throw new HnsError("HCN_E_INVALID_NETWORK_TYPE");
  return type;
}

function isExternal(type: string): boolean {
  return networkTypes[typeOf(type)];
}

/** What a NAT network gets that names no subnet; Windows chooses one of 172.16.0.0/12. */
const natSubnet: Subnet = {
  IpAddressPrefix: "172.29.144.0/20",
  Policies: [],
  Routes: [{ NextHop: "172.29.144.1", DestinationPrefix: "0.0.0.0/0" }],
};

function checkSubnet(subnet: Subnet, type: string): void {
  const [address = "", length = ""] = subnet.IpAddressPrefix.split("/");
  const family = isIP(address);
  if (family === 0 || !/^\d+$/.test(length) || Number(length) > (family === 4 ? 32 : 128)) {
    throw new HnsError("HCN_E_INVALID_PREFIX");
  }
  const gateway = gatewayOf(subnet);
  if (gateway !== "" && !isWithin(gateway, subnet.IpAddressPrefix)) {
    throw new HnsError("HCN_E_INVALID_SUBNET");
  }
  const isVsid = ({ Type, Settings }: Policy) =>
    Type === "VSID" && Number(Settings["IsolationId"]) >= leastVsid;
  // microsoft/SDN#177 has its words.
  if (type === "Overlay" && family === 4 && !subnet.Policies.some(isVsid)) {
    throw new HnsError("ERROR_INVALID_PARAMETER");
  }
}

/** The policies after a request. One that is updated replaces all of its type. */
function changedPolicies(
  present: readonly Policy[],
  request: string,
  given: readonly Policy[],
): Policy[] {
  const isGiven = (policy: Policy) => given.some((wanted) => isPolicy(policy, wanted));
  switch (request) {
    case "Add":
      return [...present.filter((policy) => !isGiven(policy)), ...given];
    case "Update":
      return [
        ...present.filter(({ Type }) => !given.some((wanted) => wanted.Type === Type)),
        ...given,
      ];
    case "Remove":
      if (!given.every((wanted) => present.some((policy) => isPolicy(policy, wanted)))) {
        throw new HnsError("HCN_E_POLICY_NOT_FOUND");
      }
      return present.filter((policy) => !isGiven(policy));
    default:
      throw new HnsError("HCN_E_REQUEST_UNSUPPORTED");
  }
}

function isSamePort(one: Policy, other: Policy): boolean {
  const names = ["Protocol", "ExternalPort", "VIP"];
  return (
    [one, other].every(({ Type }) => Type === "PortMapping") &&
    names.every((name) => one.Settings[name] === other.Settings[name])
  );
}

/** A load balancer for IPv6. */
const ipv6 = 2;

function isSameFrontend(one: LoadBalancer, other: LoadBalancer): boolean {
  const vips = ({ FrontendVIPs }: LoadBalancer) => (FrontendVIPs.length > 0 ? FrontendVIPs : [""]);
  return (
    (one.Flags & ipv6) === (other.Flags & ipv6) &&
    vips(one).some((vip) => vips(other).includes(vip)) &&
    one.PortMappings.some((mapping) =>
      other.PortMappings.some(
        ({ Protocol, ExternalPort }) =>
          Protocol === mapping.Protocol && ExternalPort === mapping.ExternalPort,
      ),
    )
  );
}

function base({ IpAddressPrefix }: Subnet): string {
  return IpAddressPrefix.replace(/\/.*/, "");
}

function isWithin(address: string, prefix: string): boolean {
  const [network = "", length = ""] = prefix.split("/");
  if (isIP(address) === 0 || isIP(address) !== isIP(network)) return false;
  const family = isIP(address) === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, Number(length), family);
  return list.check(address, family);
}

function toNumber(address: string): number {
  return address.split(".").reduce((number, part) => number * 256 + Number(part), 0);
}

function toAddress(number: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join(".");
}

/** First and last address of an IPv4 range, which nobody gets. */
function edges(prefix: string): string[] {
  const [network = "", length = ""] = prefix.split("/");
  if (isIP(network) !== 4 || Number(length) > 30) return [];
  const size = 2 ** (32 - Number(length));
  const first = Math.floor(toNumber(network) / size) * size;
  return [toAddress(first), toAddress(first + size - 1)];
}
