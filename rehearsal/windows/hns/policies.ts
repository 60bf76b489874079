/**
 * Policies: which HNS knows in which version, what they must say, and how the first version of the schema writes them.
 *
 * Sources: https://github.com/microsoft/hcsshim at v0.13.0, hcn/hcnpolicy.go and hcn/hcnglobals.go (versions),
 * internal/hns/hnspolicy.go (first schema).
 */
import { HnsError } from "./errors.ts";
import type { Policy } from "./objects.ts";

/** Major and minor number. */
export type HnsVersion = readonly [major: number, minor: number];

const always: HnsVersion = [0, 0];

/** Policies of a network, with the version of HNS that has brought them. */
export const networkPolicies: Readonly<Record<string, HnsVersion>> = {
  SourceMacAddress: always,
  NetAdapterName: always,
  VSwitchExtension: always,
  DrMacAddress: always,
  AutomaticDNS: always,
  InterfaceConstraint: always,
  ProviderAddress: always,
  LayerConstraint: always,
  RemoteSubnetRoute: [9, 2],
  HostRoute: [9, 2],
  VxlanPort: [10, 3],
  SetPolicy: [13, 0],
  L4Proxy: [13, 1],
  NetworkACL: [15, 0],
};

export const endpointPolicies: Readonly<Record<string, HnsVersion>> = {
  PortMapping: always,
  ACL: always,
  QOS: always,
  L2Driver: always,
  OutBoundNAT: always,
  SDNRoute: always,
  PortName: always,
  EncapOverhead: always,
  Iov: always,
  ProviderAddress: always,
  InterfaceConstraint: always,
  L4Proxy: [13, 1],
  L4WFPPROXY: [13, 2],
  TierAcl: [14, 0],
};

/** Settings without which a policy means nothing. */
const required: Readonly<Record<string, readonly string[]>> = {
  RemoteSubnetRoute: [
    "DestinationPrefix",
    "IsolationId",
    "ProviderAddress",
    "DistributedRouterMacAddress",
  ],
  VxlanPort: ["Port"],
  SDNRoute: ["DestinationPrefix"],
  ProviderAddress: ["ProviderAddress"],
};

export function isAtLeast([major, minor]: HnsVersion, [least, leastMinor]: HnsVersion): boolean {
  return major > least || (major === least && minor >= leastMinor);
}

/**
 * Policies by HNS' own names of their types.
 *
 * @throws HnsError for a type that this version does not know, or a policy without a setting that it needs
 * (projectcalico/calico#8465).
 */
export function checkedPolicies(
  policies: readonly Policy[],
  known: Readonly<Record<string, HnsVersion>>,
  version: HnsVersion,
): Policy[] {
  return policies.map(({ Type, Settings }) => {
    const name = Object.keys(known).find((each) => each.toUpperCase() === Type.toUpperCase());
    if (name === undefined || !isAtLeast(version, known[name] ?? always)) {
      throw new HnsError("HCN_E_INVALID_POLICY_TYPE");
    }
    for (const setting of required[name] ?? []) {
      if ([undefined, null, "", 0].includes(Settings[setting] as null | undefined)) {
        throw new HnsError("HCN_E_INVALID_POLICY");
      }
    }
    return { Type: name, Settings };
  });
}

/** Whether a policy is the one that `wanted` names: its type, and the settings that `wanted` has. */
export function isPolicy(policy: Policy, wanted: Policy): boolean {
  return (
    policy.Type.toUpperCase() === wanted.Type.toUpperCase() &&
    Object.entries(wanted.Settings).every(
      ([name, value]) => JSON.stringify(policy.Settings[name]) === JSON.stringify(value),
    )
  );
}

/** Types and settings that the first schema names otherwise: [first, second]. */
const otherNames: readonly {
  readonly types: readonly [string, string];
  readonly settings: readonly (readonly [string, string])[];
}[] = [
  { types: ["PA", "ProviderAddress"], settings: [["PA", "ProviderAddress"]] },
  { types: ["VSID", "VSID"], settings: [["VSID", "IsolationId"]] },
  { types: ["VLAN", "VLAN"], settings: [["VLAN", "IsolationId"]] },
  { types: ["ROUTE", "SDNRoute"], settings: [] },
  { types: ["NAT", "PortMapping"], settings: [] },
  {
    types: ["OutBoundNAT", "OutBoundNAT"],
    settings: [
      ["ExceptionList", "Exceptions"],
      ["VIP", "VirtualIP"],
    ],
  },
  {
    types: ["PROXY", "L4Proxy"],
    settings: [
      ["ExceptionList", "Exceptions"],
      ["OutboundNat", "OutboundNAT"],
    ],
  },
];

/** A policy of the first schema: its settings are beside its type. */
export type FlatPolicy = Readonly<Record<string, unknown>> & { readonly Type: string };

const renamed = (
  settings: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [names.get(name) ?? name, value]),
  );

export function fromFlat({ Type, ...settings }: FlatPolicy): Policy {
  const other = otherNames.find(({ types }) => types[0].toUpperCase() === Type.toUpperCase());
  return {
    Type: other?.types[1] ?? Type,
    Settings: renamed(settings, new Map(other?.settings)),
  };
}

export function toFlat({ Type, Settings }: Policy): FlatPolicy {
  const other = otherNames.find(({ types }) => types[1] === Type);
  const back = new Map(other?.settings.map(([first, second]) => [second, first]));
  return { Type: other?.types[0] ?? Type, ...renamed(Settings, back) };
}
