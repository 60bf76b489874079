import type { V1Node } from "@kubernetes/client-node";
import * as z from "zod";

export interface NodeRoute {
  readonly range: string;
  /** IPv4 address of the Linux node that carries packets on. */
  readonly nextHop: string;
}

export const routedSchema = z.object({
  /** Linux nodes whose pods shall be reached; the first one's kube-proxy is the way to Services. */
  nodes: z.array(z.string()),
  serviceCidr: z.string(),
});

/**
 * Ways to the pods of each node, by way of it, and to Services; or what is not known yet.
 *
 * Not all pods by way of one node: answers of the others' pods would not come back through it, and kube-proxy there drops
 * packets of connections of which its kernel has seen one half (conntrack: INVALID). Answers of Services do come back
 * through the node that was asked, which masquerades.
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
    const without = known.filter(({ range, nextHop }) => !(range && nextHop));
    return `none known yet of ${without.map(({ name }) => name).join(", ") || "every node"}`;
  }
  return { found: [...routes, { range: serviceCidr, nextHop: first.nextHop }] };
}
