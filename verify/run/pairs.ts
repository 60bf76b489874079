import type { Relation } from "../rows/row.ts";

/** A node where a connection begins, and one where it ends. */
export type NodePair = readonly [from: string, to: string];

/**
 * Pairs of nodes in which each node is the first at least once, and the second at least once: as many connections as
 * there are nodes, not its square.
 *
 * @param relation `same`: both are one node; `other`: they are two; otherwise two where there are two.
 */
export function nodePairs(
  from: readonly string[],
  to: readonly string[],
  relation?: Relation,
): readonly NodePair[] {
  if (relation === "same") {
    return from.filter((name) => to.includes(name)).map((name) => [name, name]);
  }
  const count = to.length === 0 ? 0 : Math.max(from.length, to.length);
  const pairs = Array.from({ length: count }, (_, index): NodePair => {
    const first = from[index % from.length] ?? "";
    // The next one in the ring, where both lists are the same nodes.
    const own = to.indexOf(first);
    const second = to[(own < 0 ? index : own + 1) % to.length] ?? "";
    return [first, second];
  });
  return relation === "other" ? pairs.filter(([one, other]) => one !== other) : pairs;
}
