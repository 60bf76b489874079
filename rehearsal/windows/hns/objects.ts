/**
 * HNS' objects, in the schema of HCN (version 2), as the machine's state has them.
 *
 * Source: https://github.com/microsoft/hcsshim, hcn/hcnnetwork.go, hcnendpoint.go, hcnnamespace.go, hcnloadbalancer.go and
 * hcnroute.go at v0.13.0.
 */
import * as z from "zod";

const settingsSchema = z.record(z.string(), z.unknown());

const policySchema = z.object({ Type: z.string(), Settings: settingsSchema.default({}) });

const routeEntrySchema = z.object({
  NextHop: z.string().optional(),
  DestinationPrefix: z.string().optional(),
  Metric: z.int().optional(),
});

const dnsSchema = z.object({
  Domain: z.string().optional(),
  Search: z.array(z.string()).optional(),
  ServerList: z.array(z.string()).optional(),
  Options: z.array(z.string()).optional(),
});

const subnetSchema = z.object({
  IpAddressPrefix: z.string(),
  Policies: z.array(policySchema).default([]),
  Routes: z.array(routeEntrySchema).default([]),
});

export const networkSchema = z.object({
  ID: z.string().default(""),
  Name: z.string().default(""),
  Type: z.string().default("NAT"),
  Policies: z.array(policySchema).default([]),
  MacPool: z
    .object({
      Ranges: z
        .array(z.object({ StartMacAddress: z.string(), EndMacAddress: z.string() }))
        .default([]),
    })
    .default({ Ranges: [] }),
  Dns: dnsSchema.default({}),
  Ipams: z
    .array(z.object({ Type: z.string().optional(), Subnets: z.array(subnetSchema).default([]) }))
    .default([]),
  Flags: z.int().default(0),
});

export const endpointSchema = z.object({
  ID: z.string().default(""),
  Name: z.string().default(""),
  HostComputeNetwork: z.string().default(""),
  HostComputeNamespace: z.string().default(""),
  Policies: z.array(policySchema).default([]),
  IpConfigurations: z
    .array(z.object({ IpAddress: z.string().default(""), PrefixLength: z.int().optional() }))
    .default([]),
  Dns: dnsSchema.default({}),
  Routes: z.array(routeEntrySchema).default([]),
  MacAddress: z.string().default(""),
  Flags: z.int().default(0),
  /** To what the first version of the schema has attached it. */
  Attached: z.object({ SystemType: z.string(), ContainerId: z.string().optional() }).optional(),
});

export const namespaceSchema = z.object({
  ID: z.string().default(""),
  /** Number of its compartment. */
  NamespaceId: z.int().default(0),
  Type: z.string().default("Host"),
});

export const loadBalancerSchema = z.object({
  ID: z.string().default(""),
  HostComputeEndpoints: z.array(z.string()).default([]),
  SourceVIP: z.string().default(""),
  FrontendVIPs: z.array(z.string()).default([]),
  PortMappings: z
    .array(
      z.object({
        Protocol: z.int().default(0),
        InternalPort: z.int().default(0),
        ExternalPort: z.int().default(0),
        DistributionType: z.int().default(0),
        Flags: z.int().default(0),
      }),
    )
    .default([]),
  Flags: z.int().default(0),
});

export const routeSchema = z.object({
  ID: z.string().default(""),
  HostComputeEndpoints: z.array(z.string()).default([]),
  Setting: z.array(settingsSchema).default([]),
});

/** What HNS keeps. */
export const hnsSchema = z.strictObject({
  networks: z.array(networkSchema),
  endpoints: z.array(endpointSchema),
  namespaces: z.array(namespaceSchema),
  loadBalancers: z.array(loadBalancerSchema),
  routes: z.array(routeSchema),
  /** MAC addresses that accelerated networking leaves alone. */
  managementMacs: z.array(z.string()),
});

export type HnsObjects = z.infer<typeof hnsSchema>;
export type Network = z.infer<typeof networkSchema>;
export type Endpoint = z.infer<typeof endpointSchema>;
export type Namespace = z.infer<typeof namespaceSchema>;
export type LoadBalancer = z.infer<typeof loadBalancerSchema>;
export type SdnRoute = z.infer<typeof routeSchema>;
export type Subnet = z.infer<typeof subnetSchema>;
export type Policy = z.infer<typeof policySchema>;

/** An object's kind, as computenetwork.dll names it to the model. */
export const hnsKinds = ["network", "endpoint", "namespace", "loadBalancer", "route"] as const;
export type HnsKind = (typeof hnsKinds)[number];

export const noHnsObjects = (): HnsObjects => ({
  networks: [],
  endpoints: [],
  namespaces: [],
  loadBalancers: [],
  routes: [],
  managementMacs: [],
});

/** A network that does not survive a restart of HNS. */
export const nonPersistent = 8;
/** An endpoint on another host. */
export const remoteEndpoint = 1;

/** Ids are compared without regard to case: programs write them in either. */
export function isSameId(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}

export function subnetsOf(network: Network): readonly Subnet[] {
  return network.Ipams.flatMap(({ Subnets }) => Subnets);
}

/** Gateway of a subnet: the next hop of its default route. */
export function gatewayOf({ Routes }: Subnet): string {
  const isDefault = (prefix: string | undefined) => prefix === "0.0.0.0/0" || prefix === "::/0";
  return Routes.find(({ DestinationPrefix }) => isDefault(DestinationPrefix))?.NextHop ?? "";
}
