/**
 * ACL policies of endpoints, by which Felix enforces NetworkPolicies, as rules of nftables: of those for an endpoint and a
 * direction, the first by priority that fits decides, and without one everything passes. They are for flows: the answers of one
 * that was let in or out pass, which is an assumption about VFP's rules of the type Switch. Those of the type Host,
 * with which Felix allows what a pod's own machine asks it, are left out: that is not filtered here.
 *
 * Source: https://github.com/projectcalico/calico, felix/dataplane/windows/policysets/policysets.go; hcsshim,
 * internal/hns/hnspolicy.go.
 */
import * as z from "zod";

import { type Endpoint, remoteEndpoint } from "./objects.ts";

const anyProtocol = 256;

const addresses = z
  .string()
  .default("")
  .transform((text) => text.split(",").filter((each) => each !== ""));

const aclSchema = z.object({
  Action: z.enum(["Allow", "Block"]),
  Direction: z.enum(["In", "Out"]),
  Protocol: z.coerce.number().default(anyProtocol),
  Protocols: z.string().default(""),
  LocalAddresses: addresses,
  RemoteAddresses: addresses,
  LocalPort: z.int().default(0),
  LocalPorts: z.string().default(""),
  RemotePort: z.int().default(0),
  RemotePorts: z.string().default(""),
  RuleType: z.string().default("Switch"),
  Priority: z.int().default(0),
});

type Acl = z.infer<typeof aclSchema>;

/** Chains of the table, which exist if there is any such policy. */
export const aclChains: readonly string[] = [
  "add chain ip hns out",
  "add chain ip hns in",
  ...Object.entries({ forwarded: "forward", received: "input" }).flatMap(([chain, hook]) => [
    `add chain ip hns ${chain} { type filter hook ${hook} priority filter; }`,
    `add rule ip hns ${chain} ct state established,related accept`,
    `add rule ip hns ${chain} jump out`,
    `add rule ip hns ${chain} jump in`,
  ]),
];

export function aclRules({ Flags, IpConfigurations, Policies }: Endpoint): string[] {
  if ((Flags & remoteEndpoint) !== 0) return [];
  const acls = Policies.filter(({ Type }) => Type === "ACL")
    .map(({ Settings }) => aclSchema.parse(Settings))
    .filter(({ RuleType }) => RuleType !== "Host")
    .sort((one, other) => one.Priority - other.Priority);
  return IpConfigurations.flatMap(({ IpAddress }) =>
    acls.map((acl) => {
      const [chain, local, remote] = acl.Direction === "In" ? ["in", "d", "s"] : ["out", "s", "d"];
      const words = [
        ...[chain, `ip ${local}addr ${IpAddress}`],
        ...among(`ip ${local}addr`, acl.LocalAddresses),
        ...among(`ip ${remote}addr`, acl.RemoteAddresses),
        ...protocolOf(acl),
        ...among(`th ${local}port`, portsOf(acl.LocalPorts, acl.LocalPort)),
        ...among(`th ${remote}port`, portsOf(acl.RemotePorts, acl.RemotePort)),
        acl.Action === "Allow" ? "return" : "drop",
      ];
      return words.join(" ");
    }),
  );
}

const among = (field: string, values: readonly string[]): string[] =>
  values.length === 0 ? [] : [`${field} { ${values.join(", ")} }`];

function protocolOf({ Protocol, Protocols }: Acl): string[] {
  const numbers = Protocols === "" ? [String(Protocol)] : Protocols.split(",");
  return numbers.includes(String(anyProtocol)) ? [] : among("meta l4proto", numbers);
}

/** The first schema has a field for one port, from before it had one for several. */
const portsOf = (several: string, one: number): string[] =>
  several === "" ? (one === 0 ? [] : [String(one)]) : several.split(",");
