/**
 * What HNS' objects are on Linux: in the guest their packets arrive. A namespace is a network namespace, an endpoint in it a
 * link with the endpoint's address and MAC. The machine forwards for all of them, also between two pods of its own, as VFP
 * looks at every packet of a port. An overlay network is a VXLAN device with a forwarding entry, a neighbour and a route for
 * each RemoteSubnetRoute, as flanneld makes them on a Linux node (flannel, pkg/backend/vxlan/vxlan_network.go). An L2Bridge
 * network is nothing but the routes to its endpoints; the routes to other nodes are the machine's own.
 *
 * Load balancers, OutBoundNAT and ACLs are rules of nftables, of which each change replaces all.
 */
import type { LinuxPiece } from "../../machine/programs.ts";
import { nftTable } from "../nft-table.ts";
import { aclChains, aclRules } from "./acl-rules.ts";
import {
  gatewayOf,
  type Endpoint,
  type HnsObjects,
  isSameId,
  type LoadBalancer,
  type Namespace,
  type Network,
  remoteEndpoint,
  subnetsOf,
} from "./objects.ts";

/** Windows' default, which a policy VxlanPort changes. */
const vxlanPort = 4789;

/** What VXLAN adds to a packet (flannel, pkg/backend/vxlan/device.go). */
const overlayMtu = 1450;

/** The programs' names of a Linux device are at most 15 characters long. */
const deviceOf = (kind: "ep" | "vx", { ID }: { readonly ID: string }): string =>
  kind + ID.replaceAll("-", "").slice(0, 8).toLowerCase();

/** Whether a Linux device is one of those, which Windows does not show as an adapter. */
export const isPodDevice = (name: string): boolean => /^(ep|vx)[0-9a-f]{8}$/.test(name);

/** The name that Wine's server knows, too (rehearsal/wine/server/pod-sockets.c). */
const namespaceName = ({ NamespaceId }: Namespace): string => `pod${NamespaceId}`;

const linuxMac = (address: string): string => address.replaceAll("-", ":").toLowerCase();

/** @param managementAddress of the machine, from which an overlay's packets leave. */
export function linuxNetwork(objects: HnsObjects, managementAddress: string): LinuxPiece[] {
  const { networks, namespaces } = objects;
  const overlays = networks.filter(({ Type }) => Type === "Overlay");
  const pods = namespaces.filter(({ Type }) => !Type.endsWith("Default"));
  return [
    ...overlays.flatMap((network) => [overlay(network), ...waysOf(network)]),
    ...pods.map(namespacePiece),
    ...pods.flatMap((namespace) =>
      endpointsIn(objects, namespace).flatMap((endpoint) => {
        const network = networks.find(({ ID }) => isSameId(ID, endpoint.HostComputeNetwork));
        const isConnected =
          network?.Type === "L2Bridge" ||
          (network?.Type === "Overlay" && providerOf(endpoint) === managementAddress);
        return isConnected ? [connection(endpoint, namespace, network.Type)] : [];
      }),
    ),
    ...rules(objects),
  ];
}

function endpointsIn({ endpoints }: HnsObjects, { ID }: Namespace): readonly Endpoint[] {
  return endpoints.filter(
    ({ Flags, HostComputeNamespace }) =>
      (Flags & remoteEndpoint) === 0 && isSameId(HostComputeNamespace, ID),
  );
}

const settingOf = (
  { Policies }: Pick<Network, "Policies">,
  type: string,
  name: string,
): string | undefined => {
  const setting = Policies.find(({ Type }) => Type === type)?.Settings[name];
  return typeof setting === "string" || typeof setting === "number" ? String(setting) : undefined;
};

/** The machine's address that an endpoint's encapsulated packets come from: a network drops those of another. */
const providerOf = (endpoint: Endpoint): string | undefined =>
  settingOf(endpoint, "ProviderAddress", "ProviderAddress");

function overlay(network: Network): LinuxPiece {
  const device = deviceOf("vx", network);
  const [subnet] = subnetsOf(network);
  const vni = subnet && settingOf(subnet, "VSID", "IsolationId");
  const port = settingOf(network, "VxlanPort", "Port") ?? vxlanPort;
  const mac = linuxMac(settingOf(network, "DrMacAddress", "Address") ?? "");
  const gateway = subnet && gatewayOf(subnet);
  return {
    name: `network ${network.ID}`,
    make: [
      `ip link add ${device} address ${mac} mtu ${overlayMtu} type vxlan id ${vni} dstport ${port} nolearning`,
      `ip link set ${device} up`,
      ...(gateway ? [`ip addr add ${gateway}/32 dev ${device}`] : []),
    ],
    remove: [`ip link delete ${device}`],
  };
}

/** The ways to the other machines' parts of an overlay. A machine with several parts is behind one forwarding entry. */
function waysOf(network: Network): LinuxPiece[] {
  const device = deviceOf("vx", network);
  // A device that is made anew has no ways.
  const made = overlay(network).make.join();
  const remote = network.Policies.filter(({ Type }) => Type === "RemoteSubnetRoute");
  const ways = remote.map(({ Settings }) => {
    const { IsolationId, ProviderAddress, DistributedRouterMacAddress } = Settings;
    const prefix = String(Settings["DestinationPrefix"]);
    // The range's own address stands for the machine, as on Linux nodes.
    const router = prefix.replace(/\/.*/, "");
    const mac = linuxMac(String(DistributedRouterMacAddress));
    return {
      entry: `${mac} dev ${device} dst ${String(ProviderAddress)} vni ${String(IsolationId)}`,
      piece: {
        name: `way to ${prefix} after ${made}`,
        make: [
          `ip neigh replace ${router} lladdr ${mac} dev ${device} nud permanent`,
          `ip route replace ${prefix} via ${router} dev ${device} onlink`,
        ],
        remove: [
          `ip route delete ${prefix} dev ${device}`,
          `ip neigh delete ${router} dev ${device}`,
        ],
      },
    };
  });
  const entries = [...new Set(ways.map(({ entry }) => entry))];
  return [
    ...entries.map((entry) => ({
      name: `entry ${entry} after ${made}`,
      make: [`bridge fdb append ${entry}`],
      remove: [`bridge fdb delete ${entry}`],
    })),
    ...ways.map(({ piece }) => piece),
  ];
}

function namespacePiece(namespace: Namespace): LinuxPiece {
  const name = namespaceName(namespace);
  return {
    name: `namespace ${namespace.ID}`,
    make: [`ip netns add ${name}`, `ip -n ${name} link set lo up`],
    remove: [`ip netns delete ${name}`],
  };
}

/** All that a pod sends goes to its gateway, hence to the machine, which answers for it if the address is its own. */
function connection(endpoint: Endpoint, namespace: Namespace, type: string): LinuxPiece {
  const device = deviceOf("ep", endpoint);
  const inside = namespaceName(namespace);
  const addresses = endpoint.IpConfigurations.map(({ IpAddress }) => IpAddress);
  const mtu = type === "Overlay" ? ` mtu ${overlayMtu}` : "";
  const mac = linuxMac(endpoint.MacAddress);
  return {
    name: `endpoint ${endpoint.ID}`,
    make: [
      `ip link add ${device}${mtu} type veth peer name eth0 netns ${inside} address ${mac}${mtu}`,
      `ip link set ${device} up`,
      ...addresses.map((address) => `ip route replace ${address}/32 dev ${device}`),
      ...addresses.map((address) => `ip -n ${inside} addr add ${address}/32 dev eth0`),
      `ip -n ${inside} link set eth0 up`,
      ...endpoint.Routes.flatMap(({ NextHop, DestinationPrefix }) =>
        NextHop === undefined || DestinationPrefix === undefined
          ? []
          : [`ip -n ${inside} route add ${DestinationPrefix} via ${NextHop} dev eth0 onlink`],
      ),
    ],
    remove: [`ip link delete ${device}`],
  };
}

/** Distribution by the client's address (hcsshim, hcn/hcnloadbalancer.go). */
const bySource = 1;

const protocols: Readonly<Record<number, string>> = { 6: "tcp", 17: "udp" };

function rules(objects: HnsObjects): LinuxPiece[] {
  const balancers = objects.loadBalancers.flatMap((each) => balancerRules(objects, each));
  const ofPods = objects.endpoints.flatMap((each) => [...portRules(each), ...outboundRules(each)]);
  const acls = objects.endpoints.flatMap(aclRules);
  if (balancers.length + ofPods.length + acls.length === 0) return [];
  const chain = (name: string, hook: string, priority: string) =>
    `add chain ip hns ${name} { type nat hook ${hook} priority ${priority}; }`;
  const lines = [
    "add chain ip hns balanced",
    chain("arriving", "prerouting", "dstnat"),
    chain("own", "output", "-100"),
    chain("leaving", "postrouting", "srcnat"),
    "add rule ip hns arriving jump balanced",
    "add rule ip hns own jump balanced",
    ...(acls.length > 0 ? aclChains : []),
    ...[...balancers, ...ofPods, ...acls].map((rule) => `add rule ip hns ${rule}`),
  ];
  return [nftTable("rules", "hns", lines)];
}

function balancerRules({ endpoints }: HnsObjects, balancer: LoadBalancer): string[] {
  const { FrontendVIPs, HostComputeEndpoints, PortMappings, SourceVIP } = balancer;
  const backends = HostComputeEndpoints.flatMap((id) =>
    (endpoints.find(({ ID }) => isSameId(ID, id))?.IpConfigurations ?? []).slice(0, 1),
  );
  return PortMappings.flatMap(({ Protocol, InternalPort, ExternalPort, DistributionType }) => {
    const protocol = protocols[Protocol];
    if (protocol === undefined) return [];
    const chosen = DistributionType === bySource ? "jhash ip saddr" : "numgen random";
    // Without an address, at the machine's own: a NodePort.
    const vips = FrontendVIPs.length > 0 ? FrontendVIPs : [undefined];
    return vips.flatMap((vip) => [
      ...backends.map(({ IpAddress }, index) => {
        const at = vip === undefined ? "fib daddr type local" : `ip daddr ${vip}`;
        // A hash is the same in each rule, a random number another one.
        const share =
          DistributionType === bySource
            ? `${chosen} mod ${backends.length} == ${index}`
            : `${chosen} mod ${backends.length - index} == 0`;
        return `balanced ${at} ${protocol} dport ${ExternalPort} ${share} dnat to ${IpAddress}:${InternalPort}`;
      }),
      ...sourceRules(protocol, ExternalPort, vip, SourceVIP),
    ]);
  });
}

/**
 * The machine itself, and what comes from outside through it, asks from SourceVIP, which is an address of the machine's part of
 * the overlay: answers come back to the machine that has balanced.
 */
function sourceRules(
  protocol: string,
  port: number,
  vip: string | undefined,
  sourceVip: string,
): string[] {
  const to = sourceVip === "" ? "masquerade" : `snat to ${sourceVip}`;
  const asked = `meta l4proto ${protocol} ct status dnat ct original proto-dst ${port}`;
  if (vip === undefined) return [`leaving ${asked} fib daddr type != local ${to}`];
  return [`leaving ${asked} ct original ip daddr ${vip} fib saddr type local ${to}`];
}

/** Ports of the machine that are a pod's. */
function portRules({ IpConfigurations, Policies }: Endpoint): string[] {
  return Policies.filter(({ Type }) => Type === "PortMapping").flatMap(({ Settings }) => {
    const protocol = protocols[Number(Settings["Protocol"])];
    const [address] = IpConfigurations;
    if (protocol === undefined || address === undefined) return [];
    const at = `fib daddr type local ${protocol} dport ${String(Settings["ExternalPort"])}`;
    return [`balanced ${at} dnat to ${address.IpAddress}:${String(Settings["InternalPort"])}`];
  });
}

/**
 * A pod's packets leave the machine with its address, but for those to the exceptions; a policy with destinations is only for
 * those (loopbackDSR of the CNI project's plugins). That the exceptions of several policies count together is an assumption:
 * win-overlay adds its own to those of the configuration.
 */
function outboundRules({ Flags, IpConfigurations, Policies }: Endpoint): string[] {
  if ((Flags & remoteEndpoint) !== 0) return [];
  const nat = Policies.filter(({ Type }) => Type === "OutBoundNAT").map(({ Settings }) => Settings);
  const listed = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
  const general = nat.filter(({ Destinations }) => listed(Destinations).length === 0);
  const exceptions = new Set(general.flatMap(({ Exceptions }) => listed(Exceptions)));
  // What was asked for counts, also if a load balancer has turned it into another address.
  const others = [...exceptions].map((each) => ` ct original ip daddr != ${each}`).join("");
  const own = nat.flatMap(({ Destinations }) => listed(Destinations));
  return IpConfigurations.flatMap(({ IpAddress }) => [
    ...own.map((each) => `leaving ip saddr ${IpAddress} ip daddr ${each} masquerade`),
    ...(general.length > 0 ? [`leaving ip saddr ${IpAddress}${others} masquerade`] : []),
  ]);
}
