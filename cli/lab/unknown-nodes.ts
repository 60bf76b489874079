/** Says which of the named nodes the lab does not have. */
export function unknownNodes(
  named: readonly string[],
  nodes: readonly { readonly name: string }[],
): string | undefined {
  const unknown = named.filter((name) => !nodes.some((node) => node.name === name));
  if (unknown.length === 0) return undefined;
  const known = nodes.map(({ name }) => name).join(", ");
  return `the lab has no node ${unknown.join(", ")}; it has ${known || "none"}`;
}
