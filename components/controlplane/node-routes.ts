import type { V1Node } from "@kubernetes/client-node";
import * as z from "zod";

interface NodeRoute {
  readonly range: string;
  /** IPv4 address of the Linux node that forwards the packets. */
  readonly nextHop: string;
}

export const routedSchema = z.object({
  /** Linux nodes to whose pods routes are wanted. Services are reached through kube-proxy on the first one. */
  nodes: z.array(z.string()),
  serviceCidr: z.string(),
});

/**
 * Routes to the pods of each node through that node, and to Services through the first one; or a text that says what is
 * not known yet.
 *
 * A single node cannot be the way to all pods: replies of pods on other nodes would not come back through it, and its
 * kube-proxy drops packets of connections of which the kernel has seen only one direction (conntrack: INVALID). Replies
 * of Services do come back through the first node, because it masquerades.
 */
export function nodeRoutes(
  { nodes: names, serviceCidr }: z.infer<typeof routedSchema>,
  nodes: readonly V1Node[],
): string | { readonly found: readonly NodeRoute[] } {
  const known = names.map((name) => {
    const node = nodes.find(({ metadata }) => metadata?.name === name);
    const ranges = node?.spec?.podCIDRs ?? [node?.spec?.podCIDR ?? ""];
    return {
      name,
      range: ranges.find((each) => each.includes(".")),
      nextHop: node?.status?.addresses?.find(
        ({ type, address }) => type === "InternalIP" && address.includes("."),
      )?.address,
    };
  });
  const routes = known.flatMap(({ range, nextHop }) =>
    range === undefined || nextHop === undefined ? [] : [{ range, nextHop }],
  );
  const [first] = routes;
  if (first === undefined || routes.length < known.length) {
    const missing = known.filter(({ range, nextHop }) => !(range && nextHop));
    return `not known yet for ${missing.map(({ name }) => name).join(", ") || "any node"}`;
  }
  return { found: [...routes, { range: serviceCidr, nextHop: first.nextHop }] };
}
